import TributaryCore
import TributarySQLite

/// The schema of a database made anew, without rows: what another device could not make, and what could not be
/// written there.
struct SchemaTrial {
  /// What cannot be made, and what SQLite says of it.
  private(set) var unmade: [(object: SchemaObject, reason: String)] = []
  private let connection: Connection

  init(of original: Connection) throws {
    connection = try Connection(
      path: ":memory:", mode: .create, extensions: original.extensions)
    for object in try SchemaObject.all(in: original) {
      do {
        // Of a file that somebody has made, the text may go on behind the statement.
        try connection.prepare(object.sql).run()
      } catch {
        unmade.append((object, error.message))
      }
    }
  }

  /// Why no statement of ours could write a table: a CHECK, a generated column or an index of it uses what is
  /// not there. `nil` where nothing stands in the way.
  func reasonAgainstRows(of table: TableDescription) throws -> String? {
    if let unmade = unmade.first(where: { $0.object.makesRows(of: table.name) }) {
      return unmade.reason
    }
    connection.setTriggers(firing: false)
    defer { connection.setTriggers(firing: true) }
    return reason(table)
  }

  /// Why an application that uses our connections could not write a table all the same: what its triggers
  /// use is not there.
  func reasonAgainstTriggers(of table: TableDescription) -> String? { reason(table) }

  private func reason(_ table: TableDescription) -> String? {
    let name = "main.\(table.name.quotedIdentifier)"
    let columns = table.shape.columns.map(\.quotedIdentifier)
    let statements = [
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
  /// Whether rows of a table cannot be without it.
  fileprivate func makesRows(of table: String) -> Bool {
    (type == "table" || type == "index") && SQLName(self.table) == SQLName(table)
  }
}
