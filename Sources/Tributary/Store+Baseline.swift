public import TributarySync

extension Store {
  /// Writes a baseline: one file with everything that the store shares. A device that is attached without a
  /// database starts from the baseline that has most, and reads only the logs that come after it.
  ///
  /// It synchronises first, and may take long; nobody waits for it. The last two baselines of the store stay.
  ///
  /// - Throws: what prevents the synchronisation, such as `ContainerError`; `SyncError` with the code `forked` if the store is
  ///   not what the logs say; `SyncError` with the code `inUse`. An unfinished file counts for nobody.
  @discardableResult
  public func writeBaseline() throws -> BaselineReport { try session.writeBaseline() }
}
