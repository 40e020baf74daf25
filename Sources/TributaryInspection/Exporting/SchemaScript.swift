package import TributaryContainer
internal import TributaryCore
internal import TributarySQLite
internal import TributarySync

/// The statements that make an empty database what one of the peers' is.
package struct SchemaScript {
  /// Those before the data: of the tables, and the numbers of the application.
  package private(set) var tables: [String] = []
  /// Those after it: of indexes, triggers and views.
  package private(set) var rest: [String] = []

  /// Takes the newest schema, as `tributary attach` does.
  ///
  /// - Returns: `nil` where there is none.
  /// - Throws: for statements that do anything else than making something, and for those that SQLite
  ///   does not accept.
  package init?(_ schemas: [ManifestSchema]) throws {
    guard let schema = SharedSchema.newest(of: schemas) else { return nil }
    // Nothing else is to reach the one who runs the script.
    for statement in schema.sql where !SchemaStatements.isCreation(statement) {
      throw SchemaScriptError(statement: statement)
    }
    try SchemaStatements.run(schema, at: ":memory:")
    for statement in schema.sql {
      if Self.makesTable(statement) { tables.append(statement) } else { rest.append(statement) }
    }
    tables += schema.numbers.statements
  }

  /// SQLite keeps statements with their first words in this form.
  private static func makesTable(_ statement: String) -> Bool {
    let words = words(of: statement)
    return words.starts(with: ["CREATE", "TABLE"])
      || words.starts(with: ["CREATE", "VIRTUAL", "TABLE"])
  }

  /// The first three.
  private static func words(of statement: String) -> [SQLName] {
    statement.split(maxSplits: 3, whereSeparator: \.isWhitespace).prefix(3)
      .map { SQLName(String($0)) }
  }
}
