public import TributarySync

extension Store {
  /// Returns everything that is wrong with the store or delays it, each with its remedy. Changes
  /// nothing.
  ///
  /// It reads the whole database and all segments of its content name, which may take a while.
  ///
  /// - Throws: an error only if the file cannot be opened. Any other failure is a finding.
  public func diagnose() throws -> [Finding] { try session.diagnose() }
}
