import TributaryCore

extension NameChanges {
  /// Returns all names that a column has had and will have.
  ///
  /// - Parameter table: any name of its table.
  package func names(ofColumn column: SQLName, of table: SQLName) -> Set<SQLName> {
    Self.names(of: column, columnRenamings(of: names(of: table)))
  }
}
