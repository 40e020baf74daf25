import TributaryContainer
import TributaryCore

/// The segments of a peer that its transactions can be read from, in order.
struct SegmentCandidates {
  /// In order of name, which begins with the first sequence.
  private var files: [SegmentFile]
  /// What comes before ends before the last sequence that was asked for.
  private var start = 0

  /// - Parameter files: in order of name, as a listing has them.
  init(_ files: [SegmentFile]) { self.files = files }

  /// Forgets what ends before a sequence.
  ///
  /// - Complexity: amortized O(1) for a whole log.
  mutating func pass(before sequence: SequenceNumber) {
    while start < files.count, files[start].name.last < sequence { start += 1 }
  }

  /// The segment with that transaction that reaches furthest.
  ///
  /// - Complexity: O(segments that begin no later and have not been passed).
  func furthest(with sequence: SequenceNumber) -> SegmentFile? {
    var furthest: SegmentFile?
    for file in files[start...] {
      if file.name.first > sequence { break }
      if file.name.last >= sequence, furthest.map({ $0.name.last < file.name.last }) ?? true {
        furthest = file
      }
    }
    return furthest
  }

  /// The segments that a reader comes to next.
  ///
  /// - Parameters:
  ///   - sequence: the last transaction of the one that it reads.
  ///   - last: the last one that it wants.
  ///   - count: so many at most.
  func following(
    _ sequence: SequenceNumber, upTo last: SequenceNumber, count: Int
  ) -> [SegmentFile] {
    var following: [SegmentFile] = []
    var end = sequence
    while end < last, following.count < count, let file = furthest(with: end.next) {
      following.append(file)
      end = file.name.last
    }
    return following
  }

  /// The first sequence that any segment after that one begins with.
  func first(after sequence: SequenceNumber) -> SequenceNumber? {
    files[start...].lazy.map(\.name.first).first { $0 > sequence }
  }

  /// Those that may still be read.
  var names: Set<SegmentName> { Set(files[start...].map(\.name)) }

  mutating func remove(_ name: SegmentName) {
    replace(with: files[start...].filter { $0.name != name })
  }

  mutating func add(_ more: [SegmentFile]) {
    replace(with: (files[start...] + more).sorted { $0.name < $1.name })
  }

  private mutating func replace(with files: [SegmentFile]) {
    self.files = files
    start = 0
  }
}
