import TributaryLog
@_spi(Rows) import TributarySQLite
import TributaryStore

/// Inserts new rows of one table with one statement that reads them all, which takes half the work of one
/// statement per row.
///
/// It can be used only for rows that give every column, in a table where no trigger fires. It ends before the
/// first row that already exists or breaks a constraint.
final class BulkInsertion: RowSource {
  let table: Int
  private unowned let batch: MergeBatch
  private let connection: Connection
  private let sql: String
  private let feed: RowFeed
  private var statement: Statement?
  private let cells: UnsafeMutableBufferPointer<ValueView>

  /// The waiting rows, by their numbers in the batch, and the ranges of their images there.
  @exclusivity(unchecked) private var rows: [(row: Int, image: Range<Int>)] = []
  /// The number of rows that the statement has read.
  @exclusivity(unchecked) private var position = 0
  /// The images of the batch while the statement runs; requesting them from the batch for each row would
  /// count references to it.
  @exclusivity(unchecked) private var images = UnsafeRawBufferPointer(start: nil, count: 0)

  /// For fewer rows, starting the statement costs more than it saves.
  private static let fewestRows = 4

  init(
    _ description: TableDescription, number: Int, connection: Connection, batch: MergeBatch
  ) throws {
    table = number
    self.batch = batch
    let count = description.shape.columns.count
    feed = try connection.feed(columnCount: count)
    let columns = description.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let sources = (0..<count).map { "c\($0)" }.joined(separator: ", ")
    // FAIL overrides any conflict clauses that the table declares: conflicts are decided row by row. ABORT
    // would undo the rows before the conflicting one, and SQLite would have to write every page of the
    // indexes twice for that.
    sql = """
      INSERT OR FAIL INTO main.\(description.name.quotedIdentifier) (\(columns))
      SELECT \(sources) FROM \(feed.table)
      """
    self.connection = connection
    cells = .allocate(capacity: count)
    cells.initialize(repeating: .absent)
  }

  deinit { cells.deallocate() }

  var isEmpty: Bool { rows.isEmpty }

  /// Whether enough rows wait to be worth starting the statement.
  var isWorthwhile: Bool { rows.count >= Self.fewestRows }

  /// Adds a row, with the place of its image in the batch.
  @inline(__always)
  func append(_ row: Int, image: Range<Int>) { rows.append((row, image)) }

  /// Removes the waiting rows and returns them.
  func takeAll() -> [Int] {
    defer { removeAll() }
    return rows.map(\.row)
  }

  func removeAll() { rows.removeAll(keepingCapacity: true) }

  /// Inserts rows, starting with the first.
  ///
  /// - Returns: the number of rows that SQLite reports as inserted, however many it has read.
  func run() throws -> Int {
    let statement = try statement ?? connection.prepare(sql, persistent: true)
    self.statement = statement
    position = 0
    images = batch.rows.images
    defer { images = UnsafeRawBufferPointer(start: nil, count: 0) }
    do { try feed.run(statement, from: self) } catch let error as SQLiteError {
      guard error.isConstraintViolation else { throw error }
    }
    let count = connection.changes
    let applied = batch.applied
    let columns = applied.insertedColumns(table)
    for index in 0..<count {
      try read(rows[index].image, columns)
      applied.note(.inserted, cells, table)
    }
    return count
  }

  /// Reads the values of the first columns of a row.
  @inline(__always)
  private func read(_ image: Range<Int>, _ columns: Int) throws {
    var cursor = ImageCursor(UnsafeRawBufferPointer(rebasing: images[image]))
    for column in 0..<columns { cells[column] = try cursor.next() }
  }

  // MARK: RowSource

  override func next() throws -> Bool {
    guard position < rows.count else { return false }
    try read(rows[position].image, cells.count)
    position += 1
    return true
  }

  override func give(column: Int, to result: RowFeed.Result) {
    let cell = cells[column]
    switch cell.kind {
    case .integer: result.give(cell.integer)
    case .real: result.give(cell.real)
    case .text: result.give(borrowedText: cell.bytes)
    case .blob: result.give(borrowedBlob: cell.bytes)
    case .null, .absent: result.giveNull()
    }
  }
}
