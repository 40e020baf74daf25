import TributaryStore

extension Engine {
  /// Looks for what is wrong with a store, or keeps it behind; changes nothing, neither in the store
  /// nor in its container.
  ///
  /// Reads the whole database, and all segments of its content name.
  ///
  /// - Returns: what was found, the store itself first; empty when nothing was.
  /// - Throws: when there is no such file, or it cannot be opened. Whatever else fails is a finding.
  public static func diagnose(
    store: String, environment: Environment = Environment(), progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try StoreDiagnosis(path: store, environment: environment, progress: progress).run()
  }

  /// The same for all content names of a container; needs no store.
  ///
  /// - Parameter container: a container, a directory in it, or a single content directory.
  /// - Throws: when there is no such directory, or it cannot be listed.
  public static func diagnose(
    container: String, environment: Environment = Environment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try ContainerDiagnosis(path: container, environment: environment, progress: progress).run()
  }
}

extension SyncSession {
  /// The same as `Engine.diagnose(store:)`, for a store that is open.
  public func diagnose() throws -> [Finding] {
    try store.checkOpen()
    return try Engine.diagnose(store: store.path, environment: environment)
  }
}
