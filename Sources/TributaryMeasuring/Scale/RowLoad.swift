import TributaryStore

/// Rows of the table `tracks`.
struct RowLoad: ScaleLoad {
  let name: String
  let amount: Int
  var rowsPerTransaction = 100
  var authorCount = 1
  var transactionsPerSegment: Int?

  let unit = Figure.Unit.microseconds
  var schema: String { Workload.schema(key: .integer, indexes: false) }
  var authors: [String] { (1...authorCount).map { "author\($0)" } }
  var check: (sql: String, rows: Int) { ("SELECT count(*) FROM tracks", amount) }

  /// Shorter measurements vary more.
  var rounds: Int { amount <= 100_000 ? 5 : amount <= 1_000_000 ? 3 : 1 }

  /// The number of rows made at a time: all of the largest load would not fit into memory.
  private static let portion = 100_000

  func write(by author: Int, into store: LocalStore) throws {
    let share = amount / authorCount
    try portions(of: share, from: author * share + 1) { input in
      try StoreRun(
        workload: Workload(
          operation: .insert, rowsPerTransaction: rowsPerTransaction, rows: input.order.count),
        input: input
      ).run(on: store)
    }
  }

  func write(into database: PlainDatabase) throws -> Double {
    var time = 0.0
    try portions(of: amount, from: 1) { input in
      let workload = Workload(
        operation: .insert, rowsPerTransaction: 10_000, rows: input.order.count)
      time += try PlainRun(workload: workload, input: input).measure(on: database, by: seconds)
    }
    return time
  }

  private func portions(of rows: Int, from first: Int, _ body: (Workload.Input) throws -> Void)
    throws
  {
    var done = 0
    while done < rows {
      let tracks = Tracks(
        min(Self.portion, rows - done), from: first + done, seed: UInt64(first + done))
      try body(
        Workload.Input(targets: tracks, order: Array(tracks.rows.indices), titles: tracks))
      done += tracks.rows.count
    }
  }
}
