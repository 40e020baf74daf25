public import TributarySync

extension Store {
  /// What is wrong with the store or keeps it behind, each with its remedy; changes nothing.
  ///
  /// Reads the whole database, and all segments of its content name: as long as that takes.
  ///
  /// - Throws: when the file cannot be opened. Whatever else fails is a finding.
  public func diagnose() throws -> [Finding] { try session.diagnose() }
}
