import TributaryContainer
import TributaryCore
import TributaryReplay
import TributaryStore

/// The end of an author's log that some peer states it has published or imported, but that has been neither
/// imported nor delivered in a file here. No waiting transaction shows this.
struct UndeliveredTransactions: Equatable {
  let author: PeerIdentity
  let first: SequenceNumber
  let last: SequenceNumber

  /// The words by which the store remembers it.
  var subject: String { "\(Self.word) \(author)" }

  /// Whether something waits for the same log and therefore already reports it.
  func isSaid(by waiting: [Waiting]) -> Bool {
    waiting.contains { if case .transaction(author, _) = $0.reason { true } else { false } }
  }

  static func isSubject(_ words: String) -> Bool { words.hasPrefix(word + " ") }

  private static let word = "undelivered"

  /// Returns these ends in order of author. If the container cannot be read completely, none are returned.
  ///
  /// - Parameters:
  ///   - manifests: may have receipts that are limited to this store's own transactions.
  ///   - countsMisnamed: whether to return an end also if there is a file of its author under a wrong name.
  /// - Complexity: O(*n*) in the entries of receipts.
  static func find(
    _ exchange: Exchange, _ manifests: [PeerIdentity: PeerManifest], countsMisnamed: Bool = false
  ) throws -> [UndeliveredTransactions] {
    guard exchange.listing.peers.allSatisfy({ $0.failure == nil }) else { return [] }
    let known = try KnowledgeTable(exchange.connection).current()
    var claims: [PeerIdentity: SequenceNumber] = [:]
    func claim(_ author: PeerIdentity, _ last: SequenceNumber) {
      if last > known[author], last > claims[author] ?? .zero { claims[author] = last }
    }
    let gone = manifests.goneIdentities
    // If a store that has left an identity has issued transactions again, no device misses the former ones.
    var left: Set<PeerIdentity> = [exchange.own]
    left.formUnion(try FormerIdentities(exchange.connection).all().map(\.peer))
    for manifest in manifests.values {
      left.formUnion(manifest.former.keys)
      left.formUnion(manifest.adopted.values.map(\.former))
    }
    for manifest in manifests.values where !gone.contains(manifest.peer) {
      claim(manifest.peer, manifest.sequence)
      for entry in manifest.receipt.entries { claim(entry.peer, entry.sequence) }
    }
    return claims.filter { !left.contains($0.key) }.sorted { $0.key < $1.key }.compactMap {
      author, last in
      let listing = exchange.listing.peers.first { $0.peer == author }
      // The transactions in files are waiting, or are about to be imported.
      let files = listing?.segments.map(\.name.last).max() ?? .zero
      guard files < last, countsMisnamed || listing?.misnamed.isEmpty ?? true else { return nil }
      return UndeliveredTransactions(
        author: author, first: max(known[author], files).next, last: last)
    }
  }
}
