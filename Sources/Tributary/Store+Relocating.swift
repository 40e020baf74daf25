import TributarySync

extension Store {
  /// Moves a closed store to another path on the same device. It stays the same store, with its identity, its
  /// conflicts and what it has not published.
  ///
  /// - Throws: `SyncError` with the code `inUse` if the store is open in any process; `StoreError` with the
  ///   code `path` if there is already a file at the new path, or the path is on another device;
  ///   `ContainerError` for a path inside a container. The store is then where it was.
  public static func relocate(
    _ path: String, to newPath: String, environment: StoreEnvironment = StoreEnvironment()
  ) async throws {
    try await Blocking.run {
      try Engine.relocate(store: path, to: newPath, environment: environment)
    }
  }
}
