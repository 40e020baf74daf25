package import TributaryContainer
package import TributaryCore

/// The segments of a peer from which its transactions can be read, in order.
package struct SegmentCandidates {
  /// The files in order of name, which begins with the first sequence.
  private var files: [SegmentFile]
  /// The position before which all files end before the last requested sequence.
  private var start = 0

  /// Makes the candidates.
  ///
  /// - Parameter files: in order of name, as in a listing.
  package init(_ files: [SegmentFile]) { self.files = files }

  /// Skips the files that end before a sequence.
  ///
  /// - Complexity: amortised O(1) for a whole log.
  mutating func pass(before sequence: SequenceNumber) {
    while start < files.count, files[start].name.last < sequence { start += 1 }
  }

  /// Returns the segment with that transaction that reaches furthest.
  ///
  /// - Complexity: O(segments that begin no later and have not been skipped).
  package func furthest(with sequence: SequenceNumber) -> SegmentFile? {
    var furthest: SegmentFile?
    for file in files[start...] {
      if file.name.first > sequence { break }
      if file.name.last >= sequence, furthest.map({ $0.name.last < file.name.last }) ?? true {
        furthest = file
      }
    }
    return furthest
  }

  /// Returns the segments that a reader needs next.
  ///
  /// - Parameters:
  ///   - sequence: the last transaction of the segment that it reads.
  ///   - last: the last transaction that it needs.
  ///   - count: the largest number of segments to return.
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

  /// Returns the first sequence, after the given one, with which a segment begins.
  func first(after sequence: SequenceNumber) -> SequenceNumber? {
    files[start...].lazy.map(\.name.first).first { $0 > sequence }
  }

  /// The names of the segments that may still be read.
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
