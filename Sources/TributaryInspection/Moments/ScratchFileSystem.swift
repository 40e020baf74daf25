internal import TributaryFiles

/// Shows files at places where they are not, beside those that are there.
struct ScratchFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  /// The names shown in each directory, and where the files are.
  private var shown: [String: [String: String]] = [:]

  init(over base: any FileSystem) { self.base = base }

  /// Has a file be seen in a directory, which must exist.
  mutating func show(_ path: String, as name: String, in directory: String) {
    shown[directory, default: [:]][name] = path
  }

  /// Where the file is that is seen at a path.
  func place(_ path: String) -> String {
    shown[path.parentDirectory]?[path.lastPathComponent] ?? path
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try base.list(directory)
      + (shown[directory]?.keys.map { DirectoryEntry(name: $0, kind: .file) } ?? [])
  }

  func status(_ path: String) throws(FileError) -> FileStatus? { try base.status(place(path)) }

  func open(_ path: String) throws(FileError) -> any ReadableFile { try base.open(place(path)) }

  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try base.read(place(path), limit: limit)
  }

  func makeDirectory(_ path: String) throws(FileError) { try base.makeDirectory(path) }
}
