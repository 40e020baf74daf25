import CSQLite

/// Transfers what one database has recorded to another, through a table that is read in one and
/// written in the other.
struct ChangeTransfer {
  let table: String
  let columns: [String]

  /// Transfers the changes.
  ///
  /// - Parameter changesPerTransaction: the number of rows of the table per transaction.
  func run(
    from source: PlainDatabase, to target: PlainDatabase, changesPerTransaction: Int
  ) throws {
    let names = columns.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let select = try source.prepare("SELECT \(names) FROM \(table)")
    let insert = try target.prepare("INSERT INTO \(table) (\(names)) VALUES (\(places))")
    var count = 0
    while try source.step(select) {
      if count % changesPerTransaction == 0 {
        try target.execute(count == 0 ? "BEGIN IMMEDIATE" : "COMMIT; BEGIN IMMEDIATE")
      }
      for column in columns.indices {
        sqlite3_bind_value(insert, Int32(column + 1), sqlite3_column_value(select, Int32(column)))
      }
      try target.run(insert)
      count += 1
    }
    guard count > 0 else { throw BenchmarkError("\(table) is empty") }
    try target.execute("COMMIT")
  }
}
