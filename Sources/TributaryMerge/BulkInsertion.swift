import TributaryLog
import TributarySQLite
import TributaryStore

/// Inserts several new rows of one table with one statement: a fifth less for each row than one by
/// one.
///
/// Only for rows that give every column. When one of them is there already or breaks a constraint,
/// it and those behind it take the way of single rows.
final class BulkInsertion {
  let table: Int
  private let connection: Connection
  private let columnCount: Int
  private let rowCount: Int
  private let sql: String
  private var statement: Statement?
  private let cells: UnsafeMutableBufferPointer<ValueView>

  /// The rows that wait, by their numbers in the batch.
  @exclusivity(unchecked) private(set) var rows: [Int] = []

  /// More rows in one statement gain nothing.
  private static let mostRows = 16
  /// Every build of SQLite allows as many.
  private static let mostParameters = 990

  init(_ description: TableDescription, number: Int, connection: Connection) {
    table = number
    self.connection = connection
    columnCount = description.shape.columns.count
    rowCount = min(Self.mostRows, Self.mostParameters / max(columnCount, 1))
    cells = .allocate(capacity: max(rowCount * columnCount, 1))
    cells.initialize(repeating: .absent)
    let columns = description.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = "(" + Array(repeating: "?", count: columnCount).joined(separator: ", ") + ")"
    // FAIL whatever the table says of conflicts: they are decided row by row. To undo what precedes
    // one, as ABORT does, SQLite would write every page of the indexes twice.
    sql = """
      INSERT OR FAIL INTO \(description.name.quotedIdentifier) (\(columns))
      VALUES \(Array(repeating: marks, count: max(rowCount, 1)).joined(separator: ", "))
      """
  }

  deinit { cells.deallocate() }

  /// Whether there is anything to be gained.
  var isUseful: Bool { rowCount > 1 }

  var isFull: Bool { rows.count == rowCount }

  /// Adds a row; its bytes must stay until `removeAll`.
  ///
  /// - Precondition: it is not full.
  func append(_ row: Int, image: UnsafeRawBufferPointer) throws(LogError) {
    precondition(rows.count < rowCount)
    var cursor = ImageCursor(image)
    let start = rows.count * columnCount
    for column in 0..<columnCount { cells[start + column] = try cursor.next() }
    rows.append(row)
  }

  /// The cells of a row, by its place among `rows`.
  func cells(_ place: Int) -> UnsafeMutableBufferPointer<ValueView> {
    UnsafeMutableBufferPointer(rebasing: cells[place * columnCount..<(place + 1) * columnCount])
  }

  /// Inserts the rows.
  ///
  /// - Precondition: it is full.
  /// - Returns: how many from the first on are inserted, until a constraint stood in the way.
  func run() throws -> Int {
    precondition(isFull)
    let statement = try statement ?? connection.prepare(sql, persistent: true)
    self.statement = statement
    for (index, cell) in cells.enumerated() { try statement.bind(cell, at: index + 1) }
    do {
      try statement.run()
      return rows.count
    } catch {
      guard error.isConstraintViolation else { throw error }
      return connection.changes
    }
  }

  /// Forgets the first rows.
  func removeFirst(_ count: Int) { rows.removeFirst(count) }

  func removeAll() { rows.removeAll(keepingCapacity: true) }
}
