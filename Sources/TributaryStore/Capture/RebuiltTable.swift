import TributaryCore
import TributaryLog
import TributarySQLite

/// A table that a transaction has rebuilt: it has copied the rows into a new table that took the old one's
/// place, as SQLite advises for what `ALTER TABLE` cannot do, or that has another name.
///
/// The rows keep their identity, so what was captured while they were copied means nothing. The effect of the
/// transaction is the difference between the tables, which is usually nothing.
///
/// Source: https://www.sqlite.org/lang_altertable.html#otheralter
struct RebuiltTable {
  /// The table as it was when the transaction began.
  let old: TableDescription
  let new: TableDescription
  let names: NameChanges
  let path: String

  /// Appends what has happened to the rows.
  ///
  /// - Parameters:
  ///   - before: a connection that sees the last commit.
  ///   - now: a connection that sees the open transaction.
  ///   - number: the number of the new table's shape.
  /// - Throws: `StoreError` with the code `schemaChange` if rows are missing, since no statement was recorded
  ///   that deletes them.
  /// - Complexity: O(rows)
  func appendEffect(
    before: Connection, now: Connection, number: UInt32, into result: inout ByteBuffer
  ) throws {
    guard keysAreEqual else {
      throw StoreError(
        .schemaChange,
        "table \(old.name) would be made anew with another key, but the logs name its rows by this one",
        path: path, remedy: "keep its key, or make another table beside it")
    }
    let sources = new.shape.columns.map(source)
    try checkDefaults(sources, now)
    let defaults = try DefaultRow.values(of: new, now)
    let conversion = try ColumnConversion(to: new.affinities)
    let effect = RowEffect(table: new, number: number, path: path)
    let former = RowReader(old)
    let columns = new.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let rows = try now.prepare("SELECT \(columns) FROM main.\(new.name.quotedIdentifier)")
    var found: Int64 = 0
    while try rows.step() {
      let row = rows.values
      guard let oldRow = try former.row(new.shape.keys.map { row[$0.column] }, in: before) else {
        try effect.append(from: nil, to: row, into: &result)
        continue
      }
      found += 1
      // If a new type changes a value, it changes it the same way on every device.
      let expected = sources.indices.map { sources[$0].map { oldRow[$0] } ?? defaults[$0] }
      if zip(expected, row).allSatisfy({ $0.hasSameBits(as: $1) }) { continue }
      try effect.append(from: conversion.converted(expected), to: row, into: &result)
    }
    try checkCount(found, before)
  }

  /// Checks that each row refers to rows that exist: the table may have new foreign keys.
  ///
  /// - Throws: `SQLiteError` naming the first row that does not, and how many such rows there are.
  func checkReferences(now: Connection) throws {
    let violations = try now.prepare(
      """
      SELECT rowid, parent, count(*) OVER () FROM pragma_foreign_key_check(?, 'main')
      ORDER BY rowid LIMIT 1
      """)
    try violations.bind(.string(new.name), at: 1)
    guard try violations.step() else { return }
    let row = DanglingRow(
      table: new.name, rowIdentifier: violations.isNull(0) ? nil : violations.integer(0),
      parent: violations.string(1))
    let others = violations.integer(2) - 1
    throw SQLiteError(
      code: SQLiteError.foreignKeyViolation,
      message: "FOREIGN KEY constraint failed: \(row) that does not exist"
        + (others == 0 ? "" : ", and so \(others == 1 ? "does 1 other" : "do \(others) others")"),
      path: now.path)
  }

  /// Whether the keys are the same as before, under whatever names.
  private var keysAreEqual: Bool {
    new.hasRowIdentifierKey == old.hasRowIdentifierKey
      && new.shape.keys.elementsEqual(old.shape.keys) { key, former in
        key.collation == former.collation && source(new.shape.columns[key.column]) == former.column
          && new.columns[new.storedColumns[key.column]].affinity
            == old.columns[old.storedColumns[former.column]].affinity
      }
  }

  /// Returns the former position of a column; `nil` for a new column.
  private func source(_ column: String) -> Int? {
    old.shape.columns.firstIndex { former in
      if case .present(let name) = names.meaning(of: former, in: old.name, among: new) {
        SQLName(name) == SQLName(column)
      } else {
        false
      }
    }
  }

  /// Checks that no column gets another default. Rows in logs older than the column have the default that
  /// each device knows, so devices would show different values.
  private func checkDefaults(_ sources: [Int?], _ now: Connection) throws {
    let (former, present) = (
      TableRules(defaultsOf: old).defaults, TableRules(defaultsOf: new).defaults
    )
    for (column, source) in zip(new.shape.columns, sources) {
      guard let source else { continue }
      let before = former[SQLName(old.shape.columns[source])]
      let after = present[SQLName(column)]
      if try TableRules.areSame(before, after, now) { continue }
      throw StoreError(
        .schemaChange,
        "column \(column) of table \(new.name) would get the default \(after ?? "NULL") in place of \(before ?? "NULL"), "
          + "which rows in the logs imply on every device", path: path,
        remedy: "keep its default, or add another column")
    }
  }

  private func checkCount(_ found: Int64, _ before: Connection) throws {
    let count = try before.integer("SELECT count(*) FROM main.\(old.name.quotedIdentifier)") ?? 0
    guard found < count else { return }
    let missing = Int(count - found)
    throw StoreError(
      .schemaChange,
      "table \(old.name) would be dropped or renamed, but the logs name it: the table that takes its place lacks "
        + (missing == 1 ? "one of its rows" : "\(missing) of its rows"), path: path,
      remedy:
        "copy all rows with their keys, and delete rows with DELETE in a transaction of its own")
  }
}
