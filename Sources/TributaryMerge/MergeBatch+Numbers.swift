import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Makes SQLite count on after the largest number that the batch mentions, in tables that never reuse a
  /// number.
  ///
  /// Rows that come and go within one batch are never inserted here, but their numbers are used up all the
  /// same. SQLite does not give negative numbers.
  ///
  /// - Complexity: O(changes) if there is a table with AUTOINCREMENT, otherwise O(1).
  func spendNumbers() throws {
    guard autoincrements.contains(true) else { return }
    var largest = [Int64](repeating: 0, count: autoincrements.count)
    for operation in operations where operation.isNew {
      let mapping = mappings[Int(operation.mapping)]
      let table = Int(mapping.tableNumber)
      guard autoincrements[table] else { continue }
      // As it was written: a row that lives under another number here was given this one.
      var cursor = ImageCursor(image(at: operation.loggedStart, count: operation.loggedCount))
      var number = try cursor.next()
      if operation.operation != .delete {
        for _ in 0..<mapping.sourceKeys[0] { number = try cursor.next() }
      }
      if number.kind == .integer { largest[table] = max(largest[table], number.integer) }
    }
    for (table, number) in largest.enumerated() where number > 0 {
      try SpentNumbers(connection).spend(number, of: schema.tables[table].name)
    }
  }

  /// Returns, by table, whether SQLite remembers its largest number in this database.
  static func autoincrements(
    _ schema: ReplicatedSchema, _ connection: Connection
  ) throws -> [Bool] {
    let isRemembered = try SpentNumbers(connection).areKept
    return schema.tables.map { isRemembered && $0.autoincrements }
  }
}
