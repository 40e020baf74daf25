import TributaryCore
import TributarySQLite
import TributaryStore

extension Exchange {
  /// Whether the store has written, imported and agreed to nothing, under no identity, and shows no row: it is
  /// like a new one.
  func hasNothing() throws -> Bool {
    guard try KnowledgeTable(connection).current().isEmpty, try Outbox(connection).last() == nil,
      try SegmentTable(connection).last() == .zero,
      try HorizonRecord(connection) == HorizonRecord(),
      try FormerIdentities(connection).all().isEmpty
    else { return false }
    // Of a table that is not replicated, a baseline replaces nothing.
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    return try schema.tables.allSatisfy { table in
      try table.refusal != nil
        || connection.integer("SELECT 1 FROM main.\(table.name.quotedIdentifier) LIMIT 1") == nil
    }
  }
}
