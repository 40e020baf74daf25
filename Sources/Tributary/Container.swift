import TributaryContainer
import TributaryFiles

/// A shared directory that some engine carries between devices.
public struct Container: Hashable, Sendable {
  /// The absolute path.
  public let path: String

  /// - Parameter path: a directory that exists.
  /// - Throws: `ContainerError` when it does not, or does not answer within 30 seconds.
  public init(at path: String) throws {
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
      .absent, "the container \(path) is no directory", path: path,
      remedy: "make the shared directory first, or mount it")
  }

  /// A container that may be away at the moment: a store that is attached to it opens and works on
  /// all the same.
  ///
  /// - Parameter path: absolute and without links, as `path` was when the container was there.
  public init(expectedAt path: String) { self.path = path }
}
