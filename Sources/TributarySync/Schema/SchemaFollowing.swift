import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Finds the schema that a store should take to be able to import transactions for which a table or column is
/// missing here: that of their author or, if it does not help, the newest one that has what is missing.
struct SchemaFollowing {
  /// A waiting transaction, and the shape for which something is missing.
  struct Blocked {
    var waiting: Waiting
    var shape: TableShape
  }

  private let exchange: Exchange
  /// Whether the store follows the schemas of others at all.
  let isFollowing: Bool
  /// The schemas that have been tried, and why they were not taken.
  private var tried: [ManifestSchema: Refusal] = [:]
  private static let migration = "run the migration of the application here, then sync again"

  init(_ exchange: Exchange) throws {
    self.exchange = exchange
    isFollowing = try FollowedSchema(exchange.connection).isFollowing
  }

  /// Returns the next schema to take; `nil` if none would help, or if all that might help have been tried.
  mutating func next(for blocked: [Blocked]) throws -> SchemaOffer? {
    guard isFollowing else { return nil }
    for transaction in blocked {
      for manifest in candidates(for: transaction.waiting.peer)
      where tried[manifest.schema] == nil {
        guard let offer = try offer(manifest), try supplies(offer, transaction.shape) else {
          continue
        }
        if let disagreement = try offer.disagreement(extensions: exchange.connection.extensions) {
          tried[manifest.schema] = disagreement
          continue
        }
        tried[manifest.schema] = Refusal("it does not suffice", remedy: Self.migration)
        return offer
      }
    }
    return nil
  }

  /// Returns the schema of a peer or, if that offers nothing, the newest one, from which the store may take
  /// something; `nil` if there is none, or if the store does not follow.
  func offer(of peer: PeerIdentity) throws -> SchemaOffer? {
    guard isFollowing else { return nil }
    for manifest in candidates(for: peer) {
      guard let offer = try offer(manifest),
        try !SchemaComparison(offer.source, to: exchange.connection).isEmpty
      else { continue }
      return offer
    }
    return nil
  }

  /// Records why a schema was not taken.
  mutating func note(_ reason: String, against offer: SchemaOffer) {
    tried[offer.schema] = Refusal(reason, remedy: Self.migration)
  }

  /// Returns the waiting transactions. Where following does not help, the reason explains why.
  func explaining(_ waiting: [Waiting], _ blocked: [Blocked]) throws -> [Waiting] {
    guard isFollowing, !blocked.isEmpty else { return waiting }
    return try waiting.map { waiting in
      try blocked.first { $0.waiting == waiting }.map(explained) ?? waiting
    }
  }

  /// Returns a waiting transaction with a reason that explains why following does not help.
  func explained(_ blocked: Blocked) throws -> Waiting {
    guard case .schema(let refusal) = blocked.waiting.reason else { return blocked.waiting }
    let reason = try reason(blocked)
    var waiting = blocked.waiting
    waiting.reason = .schema(
      Refusal(
        "\(refusal.message), and this store cannot take it from the others: \(reason.message)",
        remedy: reason.remedy))
    return waiting
  }

  /// Returns a waiting transaction with a reason that states what the next synchronisation will take.
  func announced(_ blocked: Blocked) throws -> Waiting {
    guard isFollowing, case .schema(let refusal) = blocked.waiting.reason else {
      return blocked.waiting
    }
    for manifest in candidates(for: blocked.waiting.peer) {
      guard let offer = try offer(manifest), try supplies(offer, blocked.shape),
        try offer.disagreement(extensions: exchange.connection.extensions) == nil
      else { continue }
      var waiting = blocked.waiting
      waiting.reason = .schema(
        Refusal(
          "\(refusal.message) yet, and comes with the schema of \(offer.peer)",
          remedy: "run `tributary sync`"))
      return waiting
    }
    return try explained(blocked)
  }

  /// Returns why no schema provides what a transaction needs.
  private func reason(_ blocked: Blocked) throws -> Refusal {
    let candidates = candidates(for: blocked.waiting.peer)
    for manifest in candidates {
      if let reason = tried[manifest.schema] {
        return Refusal(
          "of the schema of \(manifest.peer), \(reason.message)", remedy: reason.remedy)
      }
      if let offer = try offer(manifest), try supplies(offer, blocked.shape),
        let disagreement = try offer.disagreement(extensions: exchange.connection.extensions)
      {
        return disagreement
      }
      let source: SchemaSource
      do {
        source = try SchemaSource(
          manifest.schema, at: exchange.directory.manifest(of: manifest.peer))
      } catch let error as SyncError {
        return Refusal(error.message, remedy: Self.migration)
      }
      let differences = try SchemaComparison(source, to: exchange.connection).differences.filter {
        !$0.isAdditive
          && $0.table.map { SQLName($0) == SQLName(blocked.shape.table) } ?? true
      }
      if !differences.isEmpty {
        return Refusal(
          differences.map(\.text).joined(separator: "; "), remedy: Self.migration)
      }
    }
    return Refusal(
      candidates.isEmpty
        ? "no peer.json says what it looks like"
        : "no peer.json that has arrived has it", remedy: Self.migration)
  }

  /// Returns the manifests in the order in which they are tried, each schema once.
  private func candidates(for author: PeerIdentity) -> [PeerManifest] {
    var seen: Set<ManifestSchema> = []
    let others = exchange.manifests.others(than: exchange.own)
    let ranked = SharedSchema.ranked(others.filter { $0.peer != author })
    return (others.filter { $0.peer == author } + ranked).filter {
      !$0.schema.sql.isEmpty && seen.insert($0.schema).inserted
    }
  }

  /// Returns what a manifest offers; `nil` if it cannot be understood.
  private func offer(_ manifest: PeerManifest) throws -> SchemaOffer? {
    do {
      return try SchemaOffer(manifest, among: exchange.manifests)
    } catch is SyncError {
      // This is explained where nothing helps.
      return nil
    }
  }

  private func supplies(_ offer: SchemaOffer, _ shape: TableShape) throws -> Bool {
    let connection = exchange.connection
    return try SchemaComparison(offer.source, to: connection).supplies(
      shape, to: ReplicatedSchema(connection, selection: TableSelection(connection)))
  }
}
