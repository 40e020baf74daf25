import TributarySync

extension Store {
  /// Moves a closed store to another path on the same device, where it stays the same store: with its identity, its
  /// conflicts and what it has not published.
  ///
  /// - Throws: `SyncError` with the code `inUse` if anybody has it open; `StoreError` with the code `path` if there is a file at the new path already,
  ///   or it is on another device; `ContainerError` for a path inside a container. The store is then where it was.
  public static func relocate(
    _ path: String, to newPath: String, environment: StoreEnvironment = StoreEnvironment()
  ) async throws {
    try await Blocking.run {
      try Engine.relocate(store: path, to: newPath, environment: environment)
    }
  }
}
