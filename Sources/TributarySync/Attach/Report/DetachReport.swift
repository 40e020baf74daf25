import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// How much other devices have of a store whose logs were removed.
package struct DetachReport: Equatable, Sendable {
  /// The devices that have imported some of its transactions, each as a phrase, in ascending order.
  package var importers: [String] = []
  /// How many of its transactions no other device has imported.
  package var onlyHere: UInt64 = 0
  /// What kept the store from saying in the container that it is gone.
  package var silence: String?

  /// Creates the report of a store that leaves its logs in place.
  init() {}

  /// Finds out what others have, while the logs still exist.
  init(
    before identity: StoreIdentity, _ connection: Connection, _ environment: StoreEnvironment
  ) throws {
    let last = try Outbox(connection).last()?.sequence ?? .zero
    onlyHere = last.rawValue
    let exchange: Exchange
    do {
      exchange = try Exchange(of: connection, environment)
    } catch is ContainerError {
      // It is unknown what others have. Removing the logs reports what is wrong with the container.
      return
    }
    let manifests = exchange.memory.receipts.read(
      exchange.listing, in: exchange.directory, environment, horizons: exchange.horizons
    ).all
    let gone = manifests.goneIdentities
    let text = PeerText(own: identity.peer, names: manifests.mapValues(\.name))
    let others = manifests.values.filter {
      $0.peer != identity.peer && !gone.contains($0.peer) && $0.receipt[identity.peer] > .zero
    }
    importers = others.map(\.peer).sorted().map { text($0) }
    let most = others.map { $0.receipt[identity.peer] }.max() ?? .zero
    onlyHere = last > most ? last.rawValue - most.rawValue : 0
  }

  /// What the other devices do not know, and the remedy; `nil` if there is nothing.
  package var ignorance: String? {
    silence.map {
      "the other devices do not learn that it is gone, and wait for it (\($0)); run `tributary peers retire` on one of them"
    }
  }

  /// The consequence of the removal for the other devices, in a sentence; `nil` if no device has imported
  /// anything.
  package var consequence: String? {
    guard let first = importers.first else { return nil }
    let (has, keeps) = importers.count == 1 ? ("has", "keeps") : ("have", "keep")
    let rest =
      onlyHere == 0
      ? "" : "; \(onlyHere) of its transactions \(onlyHere == 1 ? "is" : "are") in no other store"
    return
      "\(importers.joined(separator: ", ")) \(has) imported what this store had published, and \(keeps) it\(rest). What the "
      + "removed logs said comes to other devices by a baseline, a day after the logs are missed there; to bring it at once, run "
      + "`tributary sync --reseed` on \(importers.count == 1 ? "that device" : "one of those devices, such as \(first),") and then "
      + "on those that lack it"
  }
}
