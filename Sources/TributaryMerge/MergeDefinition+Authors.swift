import TributaryCore
import TributarySQLite
import TributaryStore

extension MergeDefinition {
  /// A row according to the definition, with the authors of its cells.
  package struct AuthoredRow {
    /// The key, in the order of the key's columns.
    package let key: [Value]
    /// The values, in the order of the table's columns.
    package let values: [Value]
    /// For each column, the transaction that wrote it; `nil` for a column with its default.
    package let authors: [Conflict.Side?]
    /// Whether a constraint keeps it out of its table.
    package let isHeld: Bool
  }

  /// Passes on the rows of a table in the order of their keys.
  ///
  /// - Precondition: the definition was made to record authors.
  package func forEachRow(_ table: TableDescription, _ body: (AuthoredRow) throws -> Void) throws {
    guard let authors,
      let number = schema.tableNumber(named: table.name)
    else { preconditionFailure("authors were not recorded") }
    let columns = table.shape.columns.map(\.quotedIdentifier)
    let statement = try scratch.prepare(
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quotedIdentifier)
      ORDER BY \(keyTerms(table).joined(separator: ", "))
      """)
    while try statement.step() {
      let values = statement.values
      let key = table.shape.keys.map { values[$0.column] }
      try body(
        AuthoredRow(
          key: key, values: values, authors: try authors.authors(of: key, in: table),
          isHeld: held[number][try table.identity(values, number: number).key] != nil))
    }
  }
}
