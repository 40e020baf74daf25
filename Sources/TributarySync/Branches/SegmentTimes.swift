import Synchronization
import TributaryContainer
import TributaryCore
import TributaryLog

/// When transactions were made, by the segments that hold them; each is looked up once.
final class SegmentTimes: Sendable {
  private struct Key: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
    var sequence: SequenceNumber
  }

  private let known = Mutex<[Key: HybridTime]>([:])

  /// So many are remembered.
  private static let limit = 10_000

  /// - Returns: `nil` where the segment cannot be read, or does not hold the transaction.
  /// - Complexity: the first and the last one are in the header; others are read up to.
  func time(
    of sequence: SequenceNumber, in name: SegmentName, _ segments: SegmentStore
  ) -> HybridTime? {
    let key = Key(peer: segments.peer, name: name, sequence: sequence)
    if let time = known.withLock({ $0[key] }) { return time }
    // What is damaged says nothing; whoever reads it for good reports it.
    let time = try? find(sequence, name, segments)
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[key] = time
    }
    return time
  }

  private func find(
    _ sequence: SequenceNumber, _ name: SegmentName, _ segments: SegmentStore
  ) throws -> HybridTime? {
    if sequence == name.last { return try segments.header(of: name).lastTime }
    if sequence == name.first { return try segments.header(of: name).firstTime }
    var reader = try SegmentReader(source: try segments.open(name))
    while let transaction = try reader.nextTransaction() {
      if transaction.sequence == sequence { return transaction.time }
    }
    return nil
  }
}
