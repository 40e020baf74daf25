import Glibc
import TributaryFiles

/// Says why the system refuses a file.
struct AccessText {
  let fileSystem: any FileSystem

  /// `: this process runs as user 1000; …`, for a refused permission; otherwise nothing.
  func because(_ error: FileError) -> String {
    guard error.code.isPermission else { return "" }
    // The nearest thing that there is a word about: what is below a closed directory is unknown.
    var path = error.path
    while true {
      if let found = try? probe.permissions(of: path) {
        return path == error.path ? " (\(found))" : " (\(path): \(found))"
      }
      guard path.parentDirectory != path else { return "" }
      path = path.parentDirectory
    }
  }

  /// What answers: the file system that was handed in where it can, otherwise that of the machine.
  var probe: any AccessProbe {
    let base = (fileSystem as? BoundedFileSystem)?.base ?? fileSystem
    return base as? any AccessProbe ?? LocalFileSystem()
  }
}

extension Int32 {
  /// Whether an error number is a refused permission.
  var isPermission: Bool { self == EACCES || self == EPERM }
}
