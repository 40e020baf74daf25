import TributaryCore
import TributarySQLite

/// A schema from elsewhere, from which a store may adopt what it lacks.
package struct SchemaSource: Sendable {
  /// The statements that make everything, in the order of creation. They are not trusted.
  package var statements: [String]
  /// The tables that are replicated there.
  package var replicated: Set<SQLName>
  /// How tables merge there, as far as that was declared.
  package var merge: MergeOptions
  /// Tables that are not replicated, but whose rows other devices get once.
  package var copies: [CopiedTable]
  /// The application's numbers in the database header there.
  package var numbers: HeaderNumbers

  package init(
    statements: [String], replicated: Set<SQLName>, merge: MergeOptions, copies: [CopiedTable],
    numbers: HeaderNumbers
  ) {
    self.statements = statements
    self.replicated = replicated
    self.merge = merge
    self.copies = copies
    self.numbers = numbers
  }

  /// Reads the schema of another store.
  package init(_ connection: Connection) throws {
    let shared = try ReplicatedSchema.shared(connection)
    let selection = try TableSelection(connection)
    self.init(
      statements: shared.statements,
      replicated: Set(
        try SchemaReader(connection: connection).tableNames().filter(selection.includes)
          .map { SQLName($0) }),
      merge: try MergeOptions(connection), copies: shared.copied,
      numbers: try connection.headerNumbers())
  }
}
