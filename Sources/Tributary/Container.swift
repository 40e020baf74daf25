import TributaryContainer
import TributaryFiles

/// A shared directory that some engine carries between devices.
public struct Container: Hashable, Sendable {
  /// The absolute path.
  public let path: String

  /// - Parameter path: a directory that exists.
  /// - Throws: `ContainerError` when it does not.
  public init(at path: String) throws {
    let fileSystem = LocalFileSystem()
    guard let resolved = try fileSystem.resolve(path),
      try fileSystem.status(resolved)?.kind == .directory
    else {
      throw ContainerError(
        .absent, "the container \(path) is no directory", path: path,
        remedy: "make the shared directory first, or mount it")
    }
    self.path = resolved
  }
}
