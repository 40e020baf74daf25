import TributaryStore

extension Engine {
  /// Moves a store that no process has open to another path on the same device. It stays the same store.
  ///
  /// - Throws: `SyncError` with the code `inUse` if it is open, `StoreError` with the code `path` if there is
  ///   a file already or the path is on another device, `ContainerError` for a path inside a container. The
  ///   store is still in its old place then.
  package static func relocate(
    store path: String, to newPath: String, environment: StoreEnvironment = StoreEnvironment()
  ) throws {
    try StorePath.check(path)
    try StorePath.check(newPath)
    try useExtensions(of: path, environment)
    try Relocator(path: path, newPath: newPath, environment: environment.bounded()).relocate()
  }
}
