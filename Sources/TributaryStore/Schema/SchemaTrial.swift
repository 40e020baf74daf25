import TributaryCore
import TributarySQLite

/// The schema of a database, recreated without rows. It shows what another device could not create, and what
/// could not be written there.
struct SchemaTrial {
  /// The objects that cannot be created, with SQLite's messages.
  private(set) var unmade: [(object: SchemaObject, reason: String)] = []
  private let connection: Connection

  init(of original: Connection) throws {
    connection = try Connection(
      path: ":memory:", mode: .create, extensions: original.extensions)
    for object in try SchemaObject.all(in: original) {
      do {
        // In a file from elsewhere, the text may continue after the statement.
        try connection.prepare(object.sql).run()
      } catch {
        unmade.append((object, error.message))
      }
    }
  }

  /// Returns why this library's statements could not write a table: a default, a CHECK, a generated column or an index
  /// uses something that is missing. `nil` if they could.
  func reasonAgainstRows(of table: TableDescription) throws -> String? {
    if let unmade = unmade.first(where: { $0.object.makesRows(of: table.name) }) {
      return unmade.reason
    }
    return connection.withoutTriggers { reason(table) }
  }

  /// Returns why an application that uses this library's connections could nevertheless not write a table:
  /// its triggers use something that is missing.
  func reasonAgainstTriggers(of table: TableDescription) -> String? { reason(table) }

  private func reason(_ table: TableDescription) -> String? {
    let name = "main.\(table.name.quotedIdentifier)"
    let columns = table.shape.columns.map(\.quotedIdentifier)
    let statements = [
      // The defaults are for columns that older logs lack.
      "INSERT INTO \(name) DEFAULT VALUES",
      """
      INSERT INTO \(name) (\(columns.joined(separator: ", ")))
      VALUES (\(columns.map { _ in "NULL" }.joined(separator: ", ")))
      """,
      "UPDATE \(name) SET \(columns.map { "\($0) = \($0)" }.joined(separator: ", "))",
      "DELETE FROM \(name)",
    ]
    for statement in statements {
      do {
        _ = try connection.prepare(statement)
      } catch {
        return error.message
      }
    }
    return nil
  }
}

extension SchemaObject {
  /// Whether rows of a table depend on the object.
  fileprivate func makesRows(of table: String) -> Bool {
    (type == "table" || type == "index") && SQLName(self.table) == SQLName(table)
  }
}
