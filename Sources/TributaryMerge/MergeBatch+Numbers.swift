import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Makes SQLite continue counting after the largest number that the batch mentions, in tables that never
  /// reuse a number.
  ///
  /// Rows that come and go within one batch are never inserted here, but their numbers are used up all the
  /// same. SQLite does not assign negative numbers.
  ///
  /// - Complexity: O(changes) if there is a table with AUTOINCREMENT, otherwise O(1).
  func spendNumbers() throws {
    guard autoincrements.contains(true) else { return }
    var largest = [Int64](repeating: 0, count: autoincrements.count)
    for operation in rows.operations where operation.isNew {
      let mapping = mappings[Int(operation.mapping)]
      let table = Int(mapping.tableNumber)
      guard autoincrements[table] else { continue }
      // The number as it was written: a row that lives under another number here was originally given this
      // one.
      if let number = try mapping.rowNumber(operation.operation, rows.bytes(operation.logged)) {
        largest[table] = max(largest[table], number)
      }
    }
    for (table, number) in largest.enumerated() where number > 0 {
      try SpentNumbers(connection).spend(number, of: schema.tables[table].name)
    }
  }

  /// Returns, for each table, whether SQLite remembers its largest number in this database.
  static func autoincrements(
    _ schema: ReplicatedSchema, _ connection: Connection
  ) throws -> [Bool] {
    let isRemembered = try SpentNumbers(connection).areKept
    return schema.tables.map { isRemembered && $0.autoincrements }
  }
}
