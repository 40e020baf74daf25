internal import TributaryFiles

/// Shows files at places where they do not really exist, in addition to the files that do.
struct ScratchFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  /// By directory: the names shown in it, and the real paths of the files.
  private var shown: [String: [String: String]] = [:]

  init(over base: any FileSystem) { self.base = base }

  /// Shows a file in a directory, which must exist.
  mutating func show(_ path: String, as name: String, in directory: String) {
    shown[directory, default: [:]][name] = path
  }

  /// Returns the real path of the file that is seen at a path.
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
