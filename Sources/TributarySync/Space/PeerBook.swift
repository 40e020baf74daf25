import TributaryContainer
package import TributaryCore

/// What a store has heard of its peers, and on which of its days: how many facts each of them had stated.
///
/// Facts stay true. So a peer that states more than ever before was heard of, and an older `peer.json` that a
/// carrier brings back says nothing new.
package struct PeerBook: Equatable {
  package struct Entry: Equatable {
    /// The largest number of facts.
    var facts: UInt64
    /// The day when the store first knew this many facts, counted as `SynchronisedDays.count`.
    var day: UInt64
  }

  package private(set) var entries: [PeerIdentity: Entry] = [:]

  package init() {}

  /// Reads the book from its text. Peers whose lines cannot be read count as heard of now.
  package init(_ text: String?) {
    for line in (text ?? "").split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 3, let day = UInt64(parts[0]), let facts = UInt64(parts[1]),
        let peer = PeerIdentity(hex: String(parts[2]))
      else { continue }
      entries[peer] = Entry(facts: facts, day: day)
    }
  }

  package var text: String? {
    if entries.isEmpty { return nil }
    return entries.sorted { $0.key < $1.key }.map { "\($1.day) \($1.facts) \($0)\n" }.joined()
  }

  /// Records what is known on a day.
  package mutating func note(_ facts: [PeerIdentity: UInt64], on day: UInt64) {
    for (peer, count) in facts {
      if let known = entries[peer], known.facts >= count { continue }
      entries[peer] = Entry(facts: count, day: day)
    }
  }

  /// Returns for how many of the store's days a peer has stated nothing new.
  ///
  /// - Parameter facts: the number of facts that it states now.
  package func silence(of peer: PeerIdentity, facts: UInt64, _ days: SynchronisedDays) -> UInt64 {
    guard let known = entries[peer], known.facts >= facts else { return 0 }
    return days.count - min(known.day, days.count)
  }
}

extension PeerManifest {
  /// Returns the number of transactions that the peer states to have, including its own, plus the number of
  /// days.
  ///
  /// - Parameter imported: the peer's transactions that the store has imported, which the file may not state
  ///   yet.
  func factCount(imported: SequenceNumber) -> UInt64 {
    let days = (horizon?.day ?? 0) / ManifestHorizon.dayStep
    let (sum, overflows) = receipt.total.addingReportingOverflow(
      max(sequence, imported).rawValue + days)
    return overflows ? .max : sum
  }
}
