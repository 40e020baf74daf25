import TributaryCore

/// Checks, for the writer and the reader, that transactions follow each other as the header says.
struct TransactionChain {
  private let header: SegmentHeader
  /// The sequence that must come next.
  private(set) var next: SequenceNumber
  private var time = HybridTime.zero
  /// The full knowledge of the last transaction.
  private(set) var knowledge = Knowledge()

  init(header: SegmentHeader) {
    self.header = header
    next = header.first
  }

  /// Whether every transaction of the header was there.
  var isComplete: Bool { next > header.last }

  /// Accepts a transaction whose knowledge is full.
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
      guard transaction.knowledge == header.knowledge else {
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
