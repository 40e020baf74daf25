package import TributaryCore
import TributaryLog
import TributarySQLite

/// The statement of a witness: the store's identity when it last published, and what it had written by then.
///
/// As text, it has one line each: `tributary witness 1`, `peer`, `sequence`, `time`, any number of `former`,
/// and `hash`, which covers all lines before it.
package struct WitnessStatement: Sendable, Equatable {
  package var peer: PeerIdentity
  /// The last transaction that the store had written durably before it published.
  package var sequence: SequenceNumber
  /// The time of that transaction.
  package var time: HybridTime
  /// The store's former identities.
  package var former: [PeerIdentity]

  private static let head = "tributary witness 1"

  package init(
    peer: PeerIdentity, sequence: SequenceNumber, time: HybridTime, former: [PeerIdentity]
  ) {
    self.peer = peer
    self.sequence = sequence
    self.time = time
    self.former = former
  }

  /// Reads a statement.
  ///
  /// - Returns: `nil` for anything but a complete statement.
  package init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    guard lines.count >= 6, lines.last == [], lines[1].count == 2, lines[1][0] == "peer",
      lines[2].count == 2, lines[2][0] == "sequence", lines[3].count == 2, lines[3][0] == "time",
      let peer = PeerIdentity(hex: lines[1][1]), let sequence = UInt64(lines[2][1]),
      let time = UInt64(lines[3][1])
    else { return nil }
    let former = lines[4..<(lines.count - 2)].map { line in
      line.count == 2 && line[0] == "former" ? PeerIdentity(hex: line[1]) : nil
    }
    self.init(
      peer: peer, sequence: SequenceNumber(sequence), time: HybridTime(rawValue: time),
      former: former.compactMap(\.self))
    // This also checks the first line and the hash.
    guard self.bytes == bytes else { return nil }
  }

  package var bytes: [UInt8] {
    var text = "\(Self.head)\npeer \(peer)\nsequence \(sequence)\ntime \(time.rawValue)\n"
    for peer in former { text += "former \(peer)\n" }
    let hash = Array(text.utf8).withUnsafeBytes { SegmentHash.hash($0) }
    return Array((text + "hash \(hash.lowerHex)\n").utf8)
  }

  /// Whether the store contained more when the statement was made than it does now, so that its file is an
  /// older one.
  ///
  /// The statement must have been read before the store.
  func isAhead(of connection: Connection) throws -> Bool {
    let own = try Settings(connection).peer()
    if peer != own { return former.contains(own) }
    let last = try Outbox(connection).last()?.sequence ?? .zero
    guard last < sequence else { return false }
    // A store that records having published more than it contains is damaged, not older.
    let published =
      try connection.integer("SELECT ifnull(max(last), 0) FROM tributary_segment") ?? 0
    return published <= Int64(clamping: last.rawValue)
  }
}
