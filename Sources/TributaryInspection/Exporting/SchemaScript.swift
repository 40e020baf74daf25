package import TributaryContainer
internal import TributaryCore
internal import TributarySQLite
internal import TributarySync

/// The statements that turn an empty database into one with a peer's schema.
package struct SchemaScript {
  /// The statements before the data: those of the tables, and the application's numbers.
  package private(set) var tables: [String] = []
  /// The statements after the data: those of indexes, triggers and views.
  package private(set) var rest: [String] = []

  /// Uses the newest schema, as `tributary attach` does.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: for statements that do anything but create something, and for those that SQLite does not
  ///   accept.
  package init?(_ schemas: [ManifestSchema]) throws {
    guard let schema = SharedSchema.newest(of: schemas) else { return nil }
    // Nothing else must reach the user who runs the script.
    for statement in schema.sql where !SchemaStatements.isCreation(statement) {
      throw InspectionError(
        "the schema in the container contains a statement that creates nothing: \(statement)",
        remedy: "leave --schema out")
    }
    try SchemaStatements.run(schema, at: ":memory:")
    for statement in schema.sql {
      if Self.makesTable(statement) { tables.append(statement) } else { rest.append(statement) }
    }
    tables += schema.numbers.statements
  }

  /// Whether a statement makes a table. SQLite stores statements with their first words in this
  /// form.
  private static func makesTable(_ statement: String) -> Bool {
    let words = words(of: statement)
    return words.starts(with: ["CREATE", "TABLE"])
      || words.starts(with: ["CREATE", "VIRTUAL", "TABLE"])
  }

  /// Returns the first three words.
  private static func words(of statement: String) -> [SQLName] {
    statement.split(maxSplits: 3, whereSeparator: \.isWhitespace).prefix(3)
      .map { SQLName(String($0)) }
  }
}
