import TributaryCore
import TributaryLog
import TributarySQLite

/// What a transaction does to tables that logs name, and what happens to their rows.
extension WriterConnection {
  /// Whether there may be logs that name the tables.
  func hasLogs() throws -> Bool {
    try sequence > .zero || !KnowledgeTable(connection).peers().isEmpty
  }

  /// Decides about the tables and columns that the transaction has dropped, renamed or rebuilt.
  ///
  /// - Throws: `StoreError` with the code `schemaChange` if one that the logs name is gone.
  func settleDepartures() throws {
    transaction.rebuilt = try transaction.departures.check(
      transaction.schemaBefore, schema, names: nameChanges, hasLogs: hasLogs, path: connection.path)
  }

  /// Returns the names that tables and columns have had, including those in the migration that is running.
  func nameChanges() throws -> NameChanges {
    var names = try NameChanges(connection)
    names.add(transaction.migration?.names ?? [])
    return names
  }

  /// Forgets the shapes of tables that the transaction has dropped or rebuilt, if no log contains them: then
  /// no peer needs them.
  ///
  /// - Parameter hasLogs: whether there were logs before the transaction.
  func forgetShapes(hasLogs: Bool) throws {
    let present = Set(shapeNumbers.values)
    let logged = hasLogs ? transaction.schemaBefore : nil
    let gone = transaction.departures.tables.filter { logged?.table(named: $0.text) == nil }
    try KeyForms.forget(gone, in: connection)
    for (number, shape) in registry.shapes
    where gone.contains(SQLName(shape.table)) && !present.contains(number) {
      try connection.cached("DELETE FROM tributary_shape WHERE id = ?").run(.integer(Int64(number)))
    }
    registry = try ShapeRegistry(connection)
  }

  /// Undoes what a migration has done to rows, because another device has written them.
  func takeBackRows() throws {
    try computeNetEffect()
    concernsHeldRows = hasHeldRows
    if net.isEmpty { return }
    let original = transaction.schemaBefore ?? schema
    try connection.withoutTriggers {
      try RowReversal(
        original: original, present: schema, names: nameChanges(), registry: registry,
        before: lastCommit(), now: connection
      ).run(net.bytes)
    }
    net.removeAll()
  }

  /// Replaces the captured changes of rebuilt tables with what a comparison of the tables finds.
  func compareRebuiltTables() throws {
    let rebuilt = transaction.rebuilt
    let names = transaction.departures.tables.union(rebuilt.map { SQLName($0.new.name) })
    var left = ByteBuffer()
    var reader = ChangeListReader(net.bytes)
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      if let shape = registry.shapes[change.shapeID], !names.contains(SQLName(shape.table)) {
        left.append(UnsafeRawBufferPointer(rebasing: net.bytes[offset..<reader.offset]))
      }
      offset = reader.offset
    }
    for table in rebuilt {
      guard let number = shapeNumbers[SQLName(table.new.name)] else { continue }
      try table.appendEffect(
        before: lastCommit(), now: connection, number: number, into: &left)
    }
    swap(&net, &left)
  }
}
