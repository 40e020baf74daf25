import CSQLite
import TributaryCore

/// The index that the preupdate functions expect for a column.
///
/// The documentation says that it is the column's own index. With virtual generated columns, which are not
/// stored, some releases (3.40 among them) expect the position in the stored record instead. A trial finds
/// this out once, and only if such columns exist.
///
/// In these releases, the row identifier is still at its column's own index, which hides what is stored at
/// that position. In addition, integers of old rows appear as reals if the column whose index equals that
/// position is REAL.
struct PreupdateIndices {
  private let table: TableDescription
  private let hasVirtualColumns: Bool

  init(_ table: TableDescription) {
    self.table = table
    hasVirtualColumns = table.columns.contains(where: \.isVirtual)
  }

  private var trial: Trial {
    table.isWithoutRowIdentifier ? Self.trial.withoutRowIdentifier : Self.trial.withRowIdentifier
  }

  /// The column that is SQLite's row identifier.
  var rowIdentifier: Int? {
    table.hasRowIdentifierKey ? table.storedColumns[table.shape.keys[0].column] : nil
  }

  /// Returns the index for values before a change, and values of an inserted row.
  func index(ofColumn column: Int) -> Int32 {
    guard hasVirtualColumns, column != rowIdentifier else { return Int32(column) }
    return trial.isStored ? storedIndex(column) : Int32(column)
  }

  /// Returns the index for values after an update.
  func updatedIndex(ofColumn column: Int) -> Int32 {
    guard hasVirtualColumns, column != rowIdentifier else { return Int32(column) }
    return trial.isStoredWhenUpdated ? storedIndex(column) : Int32(column)
  }

  /// Whether integers of a column may appear as reals in old rows.
  func isDisplaced(_ column: Int) -> Bool {
    guard hasVirtualColumns, trial.isStored, column != rowIdentifier else { return false }
    let affinity = table.columns[column].affinity
    return affinity != .real && affinity != .text
      && table.columns[Int(storedIndex(column))].affinity == .real
  }

  /// Why the hook cannot read the rows of the table; `nil` if it can.
  var refusal: Refusal? {
    guard hasVirtualColumns, trial.isStored, !table.isWithoutRowIdentifier else { return nil }
    if let rowIdentifier, storedIndex(rowIdentifier) != Int32(rowIdentifier),
      rowIdentifier < table.columns.count(where: { !$0.isVirtual })
    {
      return Refusal(
        "table \(table.name) has a virtual column before its INTEGER PRIMARY KEY, where SQLite misreports "
          + "other columns",
        remedy: "declare the key first, or leave the table out with --except")
    }
    let stored = table.storedColumns
    if table.shape.keys.contains(where: { isDisplaced(stored[$0.column]) }) {
      return Refusal(
        "table \(table.name) has a virtual and a REAL column before its key, where SQLite misreports the key",
        remedy: "declare the key columns first, or leave the table out with --except")
    }
    return nil
  }

  private func storedIndex(_ column: Int) -> Int32 {
    Int32(table.columns[..<column].count { !$0.isVirtual })
  }

  struct Trial {
    var isStored = false
    var isStoredWhenUpdated = false
  }

  private static let trial = (
    withRowIdentifier: perform(suffix: ""), withoutRowIdentifier: perform(suffix: " WITHOUT ROWID")
  )

  /// Writes a row whose third column, behind a virtual one, contains 7, then 8, and looks where
  /// they appear.
  private static func perform(suffix: String) -> Trial {
    var trial = Trial()
    var db: OpaquePointer?
    defer { sqlite3_close_v2(db) }
    guard sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      return trial
    }
    withUnsafeMutablePointer(to: &trial) { trial in
      sqlite3_preupdate_hook(
        db,
        { context, db, operation, _, _, _, _ in
          guard let trial = context?.assumingMemoryBound(to: Trial.self) else { return }
          var value: OpaquePointer?
          let found = sqlite3_preupdate_new(db, 1, &value) == SQLITE_OK
          let wanted: Int32 = operation == SQLITE_INSERT ? 7 : 8
          let isStored = found && sqlite3_value_int(value) == wanted
          if operation == SQLITE_INSERT {
            trial.pointee.isStored = isStored
          } else {
            trial.pointee.isStoredWhenUpdated = isStored
          }
        }, trial)
      sqlite3_exec(
        db,
        """
        CREATE TABLE t(k INTEGER PRIMARY KEY, v AS (k + 100) VIRTUAL, a)\(suffix);
        INSERT INTO t(k, a) VALUES (1, 7); UPDATE t SET a = 8
        """, nil, nil, nil)
      sqlite3_preupdate_hook(db, nil, nil)
    }
    return trial
  }
}
