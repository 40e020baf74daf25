import TributaryCore
import TributarySQLite
import TributaryStore

/// Remarks on foreign keys that are not enforced: all of them, or those to tables that are left out.
struct ForeignKeyNotes {
  let notes: [AttachNote]

  init(_ schema: ReplicatedSchema, _ connection: Connection) throws {
    guard schema.enforcesForeignKeys else {
      notes = [Self.aboutAll(schema, connection)]
      return
    }
    notes = try Self.aboutTablesLeftOut(schema, connection).map { [$0] } ?? []
  }

  private static func aboutAll(
    _ schema: ReplicatedSchema, _ connection: Connection
  ) -> AttachNote {
    // If a foreign key refers to columns that are not a key, SQLite checks no foreign keys.
    let row = try? DanglingRow.first(in: schema, connection)
    let text =
      "foreign keys are not enforced, on any device (--foreign-keys keep"
      + (row.map { "; \($0), which does not exist" } ?? "")
      + "): no row is held for want of a parent, and none is deleted with it; rows whose numbers two devices "
      + "gave are followed all the same"
    return AttachNote(
      .warning, text, options: [AttachOption("foreign-keys", ForeignKeys.enforce.rawValue)])
  }

  private static func aboutTablesLeftOut(
    _ schema: ReplicatedSchema, _ connection: Connection
  ) throws -> AttachNote? {
    var references: [String] = []
    for table in schema.tables where table.refusal == nil {
      let statement = try connection.prepare(
        """
        SELECT DISTINCT "from", "table" FROM pragma_foreign_key_list(?, 'main')
        WHERE \(Reference.bindsSomebody(parent: #""table""#)) ORDER BY 1, 2
        """)
      try statement.bind([.string(table.name)])
      while try statement.step() {
        if schema.table(named: statement.string(1)) != nil { continue }
        references.append("\(table.name).\(statement.string(0)) to \(statement.string(1))")
      }
    }
    guard !references.isEmpty else { return nil }
    let isOne = references.count == 1
    let text =
      "\(references.joined(separator: ", ")): the \(isOne ? "table" : "tables") that \(isOne ? "is" : "are") "
      + "referred to \(isOne ? "is" : "are") left out, so no import demands rows there; `tributary sql` does, on a "
      + "device where they are missing, unless the script begins with PRAGMA foreign_keys=OFF"
    return AttachNote(.warning, text)
  }
}
