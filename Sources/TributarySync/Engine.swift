import TributaryStore

/// What is done to a store as a whole.
public enum Engine {
  /// Makes a database a store of a container: a new one, one rebuilt from the logs, or one with its
  /// present rows adopted.
  ///
  /// - Throws: one error that names the file and the remedy, or `AttachError` with all that stand against it;
  ///   what was there is then as it was.
  public static func attach(
    _ request: AttachRequest, environment: Environment = Environment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> AttachReport {
    try StorePath.check(request.store)
    let lock = try AttachLock(request.store)
    defer { lock.release() }
    return try Attacher(request: request, environment: environment.bounded(), progress: progress)
      .attach()
  }

  /// Says what `attach` would do, and changes nothing: no file is made, and none is written.
  ///
  /// - Returns: also all that stands against it, each with its remedy. Which rows of a database the logs know is
  ///   not tried: that takes the import.
  /// - Throws: only where something cannot be read.
  public static func rehearse(
    _ request: AttachRequest, environment: Environment = Environment()
  ) throws -> AttachReport {
    try StorePath.check(request.store)
    return try AttachRehearsal(request: request, environment: environment.bounded()).report()
  }

  /// Takes the bookkeeping out of a store: an ordinary database with the same rows is left. What is not
  /// published yet is published first.
  ///
  /// - Parameters:
  ///   - removeLogs: also removes the store's own directory from the container; transactions that
  ///     other devices have not imported by then never reach them.
  ///   - leavingUnpublished: publishes nothing before, and does not mind.
  /// - Throws: also where something cannot be published, or a log not be removed; it is then still a
  ///   store.
  public static func detach(
    store: String, removeLogs: Bool, leavingUnpublished: Bool = false,
    environment: Environment = Environment()
  ) throws {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    try Detacher(path: store, environment: environment.bounded()).detach(
      removeLogs: removeLogs, leavingUnpublished: leavingUnpublished)
  }

  /// Replays all that the store has imported and written into a fresh file, which takes its place.
  ///
  /// Rows that the store has and no log does, written past it or lost with its bookkeeping, are kept
  /// in a file beside it.
  ///
  /// - Returns: how many transactions were replayed, and where such rows are.
  /// - Throws: also when another process has the store open, or logs are missing; the store is then
  ///   as it was.
  public static func rebuild(
    store: String, environment: Environment = Environment(), progress: ((Progress) -> Void)? = nil
  ) throws -> RebuildReport {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try Rebuilder(path: store, environment: environment.bounded(), progress: progress)
      .rebuild()
  }

  /// Replays the same by the plain definition of the merge, and compares cell by cell.
  public static func verify(
    store: String, environment: Environment = Environment(), progress: ((Progress) -> Void)? = nil
  ) throws -> VerifyReport {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try Verifier(path: store, environment: environment.bounded(), progress: progress)
      .verify()
  }
}
