import TributaryFiles

/// The outward appearance of a file, as a store remembers it. A file that has changed is read again.
struct FileAppearance: Hashable {
  private let size: UInt64
  /// In nanoseconds since 1970.
  private let modified: Int64

  init(_ status: FileStatus) { (size, modified) = (status.size, status.modifiedNanoseconds) }

  /// Reads what `text` returned, word by word.
  init?(words: ArraySlice<Substring>) {
    guard words.count == 2, let size = words.first.flatMap({ UInt64($0) }),
      let modified = words.last.flatMap({ Int64($0) })
    else { return nil }
    (self.size, self.modified) = (size, modified)
  }

  var text: String { "\(size) \(modified)" }
}
