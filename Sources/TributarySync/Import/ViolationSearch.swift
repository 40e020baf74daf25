import TributaryContainer
import TributaryCore
import TributaryReplay

/// Finds the transactions that a trigger of the store does not allow, so that everything else is imported. (A
/// row that violates a constraint of its own table is held.)
///
/// Later transactions may repair a row. So a violation counts only in a batch of everything that there is, up
/// to `largestByteCount`. Of that batch, the last transaction that wrote the row is left out, together with
/// everything that depends on it.
struct ViolationSearch {
  /// A violation that an import has met.
  struct Violation {
    /// The last transaction that wrote the row or, if the row is unknown, the last one of the batch.
    let waiting: Waiting
    /// Whether it is known which row violates the constraint.
    let isOfRow: Bool
    /// The number of transactions in the batch.
    let transactions: Int
    /// The number of bytes in the batch.
    let byteCount: Int
    /// Why this device cannot read logs that the batch needs, if that is the reason.
    let obstacle: ContainerError?
  }

  private(set) var isWide = false
  private(set) var transactionLimit = Int.max
  /// A batch is applied when it contains this many bytes.
  private(set) var byteLimit = Importer.byteLimit / 2
  /// How many transactions of each peer have been left out, the last one first.
  private var counts: [PeerIdentity: Int] = [:]

  static let largestByteCount = 256 << 20
  /// This many transactions of a peer are left out one by one, then more and more at a time: each attempt
  /// costs an import of everything.
  private static let singleCount = 8

  /// Records a violation.
  ///
  /// - Returns: a transaction to leave out; `nil` to try again without leaving out another.
  mutating func next(after violation: Violation) -> Waiting? {
    guard isWide else {
      isWide = true
      return nil
    }
    if violation.isOfRow, violation.byteCount >= byteLimit, byteLimit < Self.largestByteCount {
      byteLimit *= 2
      return nil
    }
    var waiting = violation.waiting
    if violation.isOfRow {
      let count = counts[waiting.peer, default: 0]
      counts[waiting.peer] = count + 1
      let more = UInt64(1) << min(62, max(0, count - Self.singleCount))
      waiting.sequence = SequenceNumber(
        max(1, waiting.sequence.rawValue &- min(waiting.sequence.rawValue, more - 1)))
      return waiting
    }
    guard violation.transactions > 1 else {
      transactionLimit = .max
      return waiting
    }
    // The limit is halved until the transaction stands alone.
    transactionLimit = violation.transactions / 2
    return nil
  }
}
