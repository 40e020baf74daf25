public import TributarySync

extension Store {
  /// Writes a baseline: one file with everything that the store shares. A device that is attached without a
  /// database starts from the most complete baseline, and reads only the logs that come after it.
  ///
  /// It synchronises first, and may take long, but other callers do not wait for it. The last two baselines
  /// of the store are kept.
  ///
  /// - Throws: what prevents the synchronisation, such as `ContainerError`; `SyncError` with the code
  ///   `forked` if the store does not match the logs; `SyncError` with the code `inUse`. Every device ignores
  ///   an unfinished file.
  @discardableResult
  public func writeBaseline() throws -> BaselineReport { try session.writeBaseline() }
}
