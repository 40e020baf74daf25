package import TributaryContainer
package import TributaryCore

/// A file with transactions of one peer, about which only the intended range of transactions is known.
package struct SourceFile: Sendable {
  package let path: String
  /// The first transaction, according to the name of the file or its header.
  let first: SequenceNumber
  /// The last transaction.
  let last: SequenceNumber
  /// The name; `nil` if it is not a segment's name.
  let name: SegmentName?

  init(_ file: SegmentFile) {
    path = file.path
    first = file.name.first
    last = file.name.last
    name = file.name
  }

  init(_ segment: LogSegment) {
    path = segment.path
    first = segment.header.first
    last = segment.header.last
    name = segment.name
  }
}

/// The files from which the transactions of a peer can be read, in order.
package struct SourceFiles {
  /// The files, in order of the first transaction, then of the last.
  private var files: [SourceFile]
  /// The position before which every file ends before the last requested sequence number, or has been taken.
  private var start = 0

  init(_ files: [SourceFile]) {
    self.files = files.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
  }

  /// Makes the list of the files in a listing that have transactions after a given one.
  package init(_ listing: PeerListing, after known: SequenceNumber) {
    // A listing is already in order.
    files = listing.segments.lazy.filter { $0.name.last > known }.map { SourceFile($0) }
  }

  /// Skips the files that end before a sequence number.
  ///
  /// - Complexity: amortised O(1) for a whole log.
  mutating func pass(before sequence: SequenceNumber) {
    while start < files.count, files[start].last < sequence { start += 1 }
  }

  /// Returns, of the files with that transaction, the one that reaches furthest.
  ///
  /// - Complexity: O(files that begin no later and have not been skipped).
  package func furthest(with sequence: SequenceNumber) -> SourceFile? {
    var furthest: SourceFile?
    for file in files[start...] {
      if file.first > sequence { break }
      if file.last >= sequence, furthest.map({ $0.last < file.last }) ?? true { furthest = file }
    }
    return furthest
  }

  /// Returns the files that a reader needs next.
  ///
  /// - Parameters:
  ///   - sequence: the last transaction of the file that it is reading.
  ///   - last: the last transaction that it needs.
  ///   - count: the largest number of files to return.
  func following(
    _ sequence: SequenceNumber, upTo last: SequenceNumber, count: Int
  ) -> [SourceFile] {
    var following: [SourceFile] = []
    var end = sequence
    while end < last, following.count < count, let file = furthest(with: end.next) {
      following.append(file)
      end = file.last
    }
    return following
  }

  /// Takes the first file, unless it begins after a sequence number.
  mutating func take(upTo sequence: SequenceNumber) -> SourceFile? {
    guard start < files.count, files[start].first <= sequence else { return nil }
    start += 1
    return files[start - 1]
  }

  /// Returns the first sequence number, after the given one, with which a file begins.
  func first(after sequence: SequenceNumber) -> SequenceNumber? {
    files[start...].lazy.map(\.first).first { $0 > sequence }
  }

  /// The paths of the files that may still be read.
  var paths: Set<String> { Set(files[start...].map(\.path)) }

  /// Returns the file with a path, if it may still be read.
  func file(_ path: String) -> SourceFile? { files[start...].first { $0.path == path } }

  mutating func remove(_ path: String) {
    self = SourceFiles(files[start...].filter { $0.path != path })
  }

  mutating func add(_ more: [SourceFile]) { self = SourceFiles(files[start...] + more) }
}
