import TributaryStore

/// A log of one of the sizes at which costs are compared.
protocol ScaleLoad {
  var name: String { get }
  /// The number of rows, or of megabytes.
  var amount: Int { get }
  /// The unit of the time for one of these.
  var unit: Figure.Unit { get }
  var schema: String { get }
  /// The peers whose logs make it.
  var authors: [String] { get }
  /// The number of times that importing is measured, each time with another store.
  var rounds: Int { get }
  /// The number of transactions per segment; `nil` leaves the segments as they were published.
  var transactionsPerSegment: Int? { get }
  /// A query for the number of rows that have arrived, and the expected number.
  var check: (sql: String, rows: Int) { get }

  func write(by author: Int, into store: LocalStore) throws

  /// Writes all the same rows into plain SQLite.
  ///
  /// - Returns: the seconds that SQLite took.
  func write(into database: PlainDatabase) throws -> Double
}
