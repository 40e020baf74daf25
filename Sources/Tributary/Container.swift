import TributaryContainer
import TributaryFiles

/// A shared directory that some sync engine carries between devices.
public struct Container: Hashable, Sendable {
  /// The absolute path.
  public let path: String

  /// Makes the container in an existing directory.
  ///
  /// - Parameter path: a directory that exists.
  /// - Throws: `ContainerError` if the directory does not exist, or does not answer within 30
  ///   seconds.
  public init(at path: String) throws {
    try Self.check(path)
    let fileSystem = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: .seconds(30)))
    do {
      if let resolved = try fileSystem.resolve(path),
        try fileSystem.status(resolved)?.kind == .directory
      {
        self.path = resolved
        return
      }
    } catch {
      throw ContainerError(error)
    }
    throw ContainerError(
      .absent, "the container \(path) is not a directory", path: path,
      remedy: "make the shared directory first, or mount it")
  }

  private static func check(_ path: String) throws(ContainerError) {
    if path.isEmpty {
      throw ContainerError(
        .absent, "the path of the container is empty", path: path,
        remedy: "name the shared directory")
    }
    if path.utf8.contains(0) {
      throw ContainerError(
        .inaccessible, "the path of the container contains a NUL character", path: path,
        remedy: "name the shared directory: the system reads a path up to its first NUL only")
    }
  }

  /// Makes a container that may currently be unavailable. A store that is attached to it still
  /// opens and works.
  ///
  /// - Parameter path: an absolute path without links, the same as `path` when the container was
  ///   available.
  public init(expectedAt path: String) { self.path = path }
}
