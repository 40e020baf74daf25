import TributaryCore

/// Checks, for the writer and the reader, that transactions follow each other as the header says.
struct TransactionChain {
  private let header: SegmentHeader
  /// The sequence that must come next.
  private(set) var next: SequenceNumber
  private var time = HybridTime.zero
  /// What every transaction knows: the horizon of the segment, if the segment has one and it is given.
  let horizon: Knowledge
  let notation: PeerNotation
  /// The full knowledge of the last transaction; before the first one, the knowledge that the first does not
  /// list.
  private(set) var knowledge: Knowledge
  /// What the last transaction must know.
  private let lastKnowledge: Knowledge

  /// Makes the check for a segment.
  ///
  /// - Parameter horizon: the horizon of the declaration that the header names; empty if it is not known, so
  ///   that only what is above it is read and written.
  /// - Throws: `malformed` for a header that does not fit the horizon.
  init(header: SegmentHeader, horizon: Knowledge) throws(LogError) {
    self.header = header
    next = header.first
    self.horizon = horizon.isEmpty ? horizon : horizon.shared()
    notation = PeerNotation(header)
    knowledge = self.horizon
    knowledge[header.peer] = .zero
    lastKnowledge = try header.knowledge(above: self.horizon)
  }

  /// Whether every transaction that the header announces has been present.
  var isComplete: Bool { next > header.last }

  /// Accepts a transaction with its full knowledge.
  ///
  /// - Returns: what is wrong with the transaction, in which case nothing has changed; `nil` if it
  ///   fits.
  mutating func accept(_ transaction: TransactionHeader) -> String? {
    let sequence = transaction.sequence
    guard !isComplete else { return "transaction \(sequence) after the last, \(header.last)" }
    guard sequence == next else { return "transaction \(sequence) where \(next) must be" }
    if sequence == header.first {
      guard transaction.time == header.firstTime else { return "not the first time of the header" }
    } else {
      guard transaction.time > time else { return "the time of \(sequence) does not ascend" }
    }
    if sequence == header.last {
      guard transaction.time == header.lastTime else { return "not the last time of the header" }
      guard transaction.knowledge == lastKnowledge else {
        return "not the knowledge of the header"
      }
    }
    guard transaction.knowledge[header.peer] == .zero else {
      return "the knowledge of \(sequence) names its author"
    }
    next = sequence.next
    time = transaction.time
    knowledge = transaction.knowledge
    return nil
  }
}
