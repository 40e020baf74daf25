import TributaryStore

extension Engine {
  /// Returns everything that is wrong with a store or delays it; changes nothing in the store or its
  /// container.
  ///
  /// It reads the whole database, and all segments of its content name.
  ///
  /// - Returns: the findings, those about the store itself first; empty if there are none.
  /// - Throws: if the file does not exist or cannot be opened. Any other failure is a finding.
  public static func diagnose(
    store: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try StoreDiagnosis.run(store, environment, progress: progress)
  }

  /// Diagnoses all content names of a container; needs no store.
  ///
  /// - Parameter container: a container, a directory in it, or a single content directory.
  /// - Throws: if the directory does not exist or cannot be listed.
  public static func diagnose(
    container: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try ContainerDiagnosis(path: container, environment: environment, progress: progress).run()
  }
}

extension SyncSession {
  /// Diagnoses an open store, as `Engine.diagnose(store:)` does.
  public func diagnose() throws -> [Finding] {
    try store.checkOpen()
    return try Engine.diagnose(store: store.path, environment: environment)
  }
}
