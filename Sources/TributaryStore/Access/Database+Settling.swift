import TributaryCore

extension Database {
  /// Has the record of the transaction say that these columns of a row were written, with the
  /// values that they have when it is committed.
  ///
  /// Says nothing when there is no such row by then.
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

  /// Has the record of the transaction say that the row under a key was deleted.
  ///
  /// Says nothing when there is such a row at the commit.
  ///
  /// - Throws: as `settle`.
  package func settleDeletion(table: String, key: [Value]) throws {
    let description = try replicatedTable(table)
    try settle(Settlement(table: description.name, key: key, isDeletion: true), description)
  }

  /// Has the record of the transaction say all of a row, be it visible or held: it lives then, also
  /// where another device deletes it at the same time and this transaction is the later one.
  ///
  /// Where the table has columns that other devices count in, an update says the other columns: a
  /// deletion by another device then leaves a conflict.
  ///
  /// - Parameter isDemanded: a held row must be visible after the commit, which fails otherwise.
  /// - Throws: as `settle`.
  package func settleWhole(table: String, key: [Value], isDemanded: Bool = false) throws {
    let description = try replicatedTable(table)
    try settle(
      Settlement(table: description.name, key: key, isWhole: true, isDemanded: isDemanded),
      description)
  }

  /// A replicated table as it is now.
  ///
  /// - Throws: `StoreError` when there is none of that name, and inside `read`.
  package func replicatedTable(_ name: String) throws -> TableDescription {
    let writer = try openWriter()
    guard let table = writer.schema.table(named: name), table.refusal == nil else {
      throw unusable("there is no replicated table \(name)")
    }
    return table
  }

  private func settle(_ settlement: Settlement, _ table: TableDescription) throws {
    guard settlement.key.count == table.shape.keys.count, !settlement.key.contains(.null) else {
      throw unusable("this is no key of table \(table.name)")
    }
    try openWriter().settlements.append(settlement)
  }

  private func unusable(_ message: String) -> StoreError {
    StoreError(
      .unusableTable, message, path: connection.path,
      remedy: "compare the schemas of the devices; a migration may be missing here")
  }
}
