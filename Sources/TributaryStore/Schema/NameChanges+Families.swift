import TributaryCore

extension NameChanges {
  /// Returns all names that a column has had and will have.
  ///
  /// - Parameter table: any name of its table.
  package func names(ofColumn column: SQLName, of table: SQLName) -> Set<SQLName> {
    Self.names(of: column, columnRenamings(of: names(of: table)))
  }

  /// Returns the newest name of a table. It is the same for all names that the table has had.
  package func newestName(ofTable table: SQLName) -> SQLName {
    Self.newest(of: table, all.compactMap(\.tableRenaming))
  }

  /// Returns the newest name of a column. It is the same for all names that the column has had.
  ///
  /// - Parameter table: any name of its table.
  package func newestName(ofColumn column: SQLName, of table: SQLName) -> SQLName {
    Self.newest(of: column, columnRenamings(of: names(of: table)))
  }

  /// If two devices have given one thing two names, the first in order stands for both.
  private static func newest(
    of name: SQLName, _ renamed: [(old: SQLName, new: SQLName)]
  ) -> SQLName {
    let names = names(of: name, renamed)
    let former = Set(renamed.map(\.old))
    return names.filter { !former.contains($0) }.min() ?? names.min() ?? name
  }
}
