import Glibc
import TributaryFiles

/// The real file system, as it would be with other room and other permissions.
struct ProbedFileSystem: ForwardingFileSystem, AccessProbe {
  private let files = LocalFileSystem()
  var base: any FileSystem { files }
  /// What it says of room; `nil` for the truth.
  var volume: VolumeStatus?
  /// Paths that end so may neither be listed, read nor written.
  var closed: [String] = []
  /// Paths that end so may not be written.
  var unwritable: [String] = []

  private func check(_ operation: String, _ path: String) throws(FileError) {
    if closed.contains(where: path.hasSuffix) {
      throw FileError(operation: operation, path: path, code: EACCES)
    }
  }

  func checkAccess(_ path: String, for use: FileUse) throws(FileError) {
    try check("faccessat", path)
    if use == .write, unwritable.contains(where: path.hasSuffix) {
      throw FileError(operation: "faccessat", path: path, code: EACCES)
    }
    try files.checkAccess(path, for: use)
  }
  func volume(of path: String) throws(FileError) -> VolumeStatus {
    if let volume { return volume }
    return try files.volume(of: path)
  }
  func permissions(of path: String) throws(FileError) -> FilePermissions? {
    FilePermissions(owner: 0, group: 0, mode: 0o700, user: 1000)
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try check("opendir", directory)
    return try files.list(directory)
  }
  func open(_ path: String) throws(FileError) -> any ReadableFile {
    try check("open", path)
    return try files.open(path)
  }
}
