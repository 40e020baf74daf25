import TributaryCore

extension Database {
  /// Makes the record of the transaction state that these columns of a row were written, with the values they
  /// have at the commit.
  ///
  /// It states nothing if the row does not exist by then.
  ///
  /// - Throws: `StoreError` for a table or column that is not replicated, and inside `read`.
  package func settle(table: String, key: [Value], columns: [String]) throws {
    let description = try replicatedTable(table)
    let known = Set(description.shape.columns.map { SQLName($0) })
    if let missing = columns.first(where: { !known.contains(SQLName($0)) }) {
      throw unusable("table \(table) has no column \(missing)")
    }
    try settle(Settlement(table: description.name, key: key, columns: columns), description)
  }

  /// Makes the record of the transaction state that the row under a key was deleted.
  ///
  /// It states nothing if the row exists at the commit.
  ///
  /// - Throws: as `settle` does.
  package func settleDeletion(table: String, key: [Value]) throws {
    let description = try replicatedTable(table)
    try settle(Settlement(table: description.name, key: key, isDeletion: true), description)
  }

  /// Makes the record of the transaction state a whole row, whether it is visible or held. The row then
  /// lives, even if another device deletes it at the same time and this transaction is the later one.
  ///
  /// If the table has columns in which other devices count, an update states the other columns; a deletion by
  /// another device then leaves a conflict.
  ///
  /// - Parameter isDemanded: whether a held row must be visible after the commit, which otherwise fails.
  /// - Throws: as `settle` does.
  package func settleWhole(table: String, key: [Value], isDemanded: Bool = false) throws {
    let description = try replicatedTable(table)
    try settle(
      Settlement(table: description.name, key: key, isWhole: true, isDemanded: isDemanded),
      description)
  }

  /// Returns the current description of a replicated table.
  ///
  /// - Throws: `StoreError` if there is no replicated table with that name, and inside `read`.
  package func replicatedTable(_ name: String) throws -> TableDescription {
    let writer = try openWriter()
    guard let table = writer.schema.table(named: name), table.refusal == nil else {
      throw unusable("there is no replicated table \(name)")
    }
    return table
  }

  private func settle(_ settlement: Settlement, _ table: TableDescription) throws {
    guard settlement.key.count == table.shape.keys.count, !settlement.key.contains(.null) else {
      throw unusable("this is not a key of table \(table.name)")
    }
    try openWriter().transaction.settlements.append(settlement)
  }

  private func unusable(_ message: String) -> StoreError {
    StoreError(
      .unusableTable, message, path: connection.path,
      remedy: "compare the schemas of the devices; a migration may be missing here")
  }
}
