import Glibc
import TributaryFiles

/// Explains why the system refuses access to a file.
struct AccessText {
  let fileSystem: any FileSystem

  /// Returns, for example, `: this process runs as user 1000; …` for a denied permission, and
  /// otherwise nothing.
  func because(_ error: FileError) -> String {
    guard error.code.isPermission else { return "" }
    // The nearest path with known permissions: what lies below a closed directory is unknown.
    var path = error.path
    while true {
      if let found = try? probe.permissions(of: path) {
        return path == error.path ? " (\(found))" : " (\(path): \(found))"
      }
      guard path.parentDirectory != path else { return "" }
      path = path.parentDirectory
    }
  }

  /// The probe: the given file system if it can answer, otherwise that of the machine.
  var probe: any AccessProbe {
    let base = (fileSystem as? BoundedFileSystem)?.base ?? fileSystem
    return base as? any AccessProbe ?? LocalFileSystem()
  }
}

extension Int32 {
  /// Whether an error number means a denied permission.
  var isPermission: Bool { self == EACCES || self == EPERM }
}
