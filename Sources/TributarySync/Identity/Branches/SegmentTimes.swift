import Synchronization
import TributaryContainer
import TributaryCore
import TributaryLog

/// The times of transactions, from the segments that contain them; each segment is read once.
final class SegmentTimes: Sendable {
  private struct File: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
  }

  /// The first and last times of segments, and all times of those that were read.
  private struct State {
    var ends = LimitedMemory<File, (first: HybridTime, last: HybridTime)>(limit: 10_000)
    var all: [File: [HybridTime]] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// The largest number of transactions to remember.
  private static let limit = 1_000_000

  /// Returns the time of a transaction.
  ///
  /// - Returns: `nil` if the segment cannot be read, or does not contain the transaction.
  /// - Complexity: the first and the last time are in the header; for others, the segment is read.
  func time(
    of sequence: SequenceNumber, in name: SegmentName, _ segments: SegmentStore
  ) -> HybridTime? {
    time(of: sequence, in: name, of: segments.peer, segments)
  }

  /// Returns the time of a transaction, for which the segments are mostly not needed.
  func time(
    of sequence: SequenceNumber, in name: SegmentName, of peer: PeerIdentity,
    _ segments: @autoclosure () -> SegmentStore
  ) -> HybridTime? {
    guard name.first <= sequence, sequence <= name.last else { return nil }
    let file = File(peer: peer, name: name)
    // A damaged segment proves nothing; the import that reads it reports it.
    if sequence == name.first || sequence == name.last {
      guard let ends = try? ends(of: file, segments()) else { return nil }
      return sequence == name.first ? ends.first : ends.last
    }
    guard let times = try? times(of: file, segments()) else { return nil }
    let index = Int(clamping: sequence.rawValue - name.first.rawValue)
    return times.indices.contains(index) ? times[index] : nil
  }

  /// Returns the times of all transactions of a segment; `nil` if it cannot be read.
  func all(in name: SegmentName, _ segments: SegmentStore) -> [HybridTime]? {
    // A damaged segment proves nothing; the import that reads it reports it.
    try? times(of: File(peer: segments.peer, name: name), segments)
  }

  /// Whether its first and its last time are known without reading the segment.
  func isKnown(_ name: SegmentName, of peer: PeerIdentity) -> Bool {
    state.withLock { $0.ends[File(peer: peer, name: name)] != nil }
  }

  private func ends(
    of file: File, _ segments: @autoclosure () -> SegmentStore
  ) throws -> (first: HybridTime, last: HybridTime) {
    if let known = state.withLock({ $0.ends[file] }) { return known }
    let header = try segments().header(of: file.name)
    let ends = (header.firstTime, header.lastTime)
    state.withLock { $0.ends.note(ends, for: file) }
    return ends
  }

  private func times(of file: File, _ segments: SegmentStore) throws -> [HybridTime] {
    if let known = state.withLock({ $0.all[file] }) { return known }
    var reader = try SegmentReader(source: try segments.open(file.name))
    var times: [HybridTime] = []
    while let transaction = try reader.nextTransaction() { times.append(transaction.time) }
    state.withLock { state in
      if state.count + times.count > Self.limit {
        state.all.removeAll()
        state.count = 0
      }
      state.all[file] = times
      state.count += times.count
    }
    return times
  }
}
