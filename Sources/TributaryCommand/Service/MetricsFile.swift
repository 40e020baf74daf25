import Glibc
import TributaryFiles
import TributaryStore

/// The file that receives metrics: an existing file of metrics or a new file, and never anything else.
struct MetricsFile: Sendable {
  /// The file itself, where the path that was given is a symbolic link.
  private let path: String

  /// The beginning of any text of metrics.
  private static let head = "# HELP tributary_"
  private static let companions = ["", "-wal", "-shm", "-journal", StoreWitness.suffix]

  /// Checks whether a file may receive metrics. Changes nothing.
  ///
  /// - Parameters:
  ///   - stores: the served stores, whose files it must not be.
  ///   - configuration: the configuration of the service, which it must not be either.
  /// - Throws: `FileError` if it cannot be examined; an error that names it and the remedy if it is something else.
  init(_ path: String, stores: [String] = [], configuration: String? = nil) throws {
    self.path = try Self.target(path)
    let own = stores.flatMap { store in Self.companions.map { store + $0 } }
    for other in own + [configuration].compactMap(\.self)
    where try Self.target(other) == self.path {
      throw TextError(
        "\(path) cannot receive the metrics: it is \(other), which the service reads or writes itself; "
          + "name another file")
    }
    try check()
  }

  /// Replaces the file as a whole.
  ///
  /// - Throws: as `init`, and `FileError` if it cannot be written.
  func write(_ text: String) throws {
    try check()
    // A collector that runs as another user must be able to read it, even if this process keeps its other
    // files private.
    let name = path.parentDirectory.appending(component: ".\(path.lastPathComponent)-XXXXXX")
    var temporary = Array(name.utf8CString)
    let descriptor = ImportCommand.whileNoneStarts {
      let descriptor = mkstemp(&temporary)
      if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      return descriptor
    }
    guard descriptor >= 0 else { throw FileError(operation: "mkstemp", path: path, code: errno) }
    do {
      defer { close(descriptor) }
      try Self.write(Array(text.utf8), to: descriptor, path)
      try systemCall("fchmod", on: path) { fchmod(descriptor, 0o644) }
      try systemCall("rename", on: path) { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ path: String
  ) throws(FileError) {
    var written = 0
    while written < bytes.count {
      written += try systemCall("write", on: path) {
        bytes.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written)
        }
      }
    }
  }

  /// Checks what is there now.
  private func check() throws {
    guard let status = try LocalFileSystem().status(path) else { return }
    guard status.kind == .file else {
      throw TextError("\(path) is not a regular file, as metrics are; name another path")
    }
    if status.size == 0 { return }
    let descriptor = try systemCall("open", on: path) {
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.head.utf8.count)
    let count = try systemCall("read", on: path) { read(descriptor, &bytes, bytes.count) }
    guard count == bytes.count, bytes == Array(Self.head.utf8) else {
      throw TextError(
        "\(path) is there and holds no metrics of Tributary; name another path, or move it away")
    }
  }

  /// Returns the path without symbolic links, even for a file that does not exist yet.
  private static func target(_ path: String) throws(FileError) -> String {
    let files = LocalFileSystem()
    if let real = try files.resolve(path) { return real }
    var status = stat()
    if lstat(path, &status) == 0 { throw .linkToNothing(path) }
    guard let directory = try files.resolve(path.parentDirectory) else { return path }
    return directory.appending(component: path.lastPathComponent)
  }
}
