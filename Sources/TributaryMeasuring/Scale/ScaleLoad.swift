import TributaryStore

/// A log of one of the sizes at which costs are compared.
protocol ScaleLoad {
  var name: String { get }
  /// Rows, or megabytes.
  var amount: Int { get }
  /// What the time for one of these is told in.
  var unit: Figure.Unit { get }
  var schema: String { get }
  /// Whose logs make it.
  var authors: [String] { get }
  /// How often importing is measured, each time by another store.
  var rounds: Int { get }
  /// How many transactions a segment is given; `nil` leaves the segments as they were published.
  var transactionsPerSegment: Int? { get }
  /// Tells how many rows have arrived, and how many there are.
  var check: (sql: String, rows: Int) { get }

  func write(by author: Int, into store: LocalStore) throws

  /// Writes all the same rows into plain SQLite.
  ///
  /// - Returns: the seconds that SQLite took.
  func write(into database: PlainDatabase) throws -> Double
}
