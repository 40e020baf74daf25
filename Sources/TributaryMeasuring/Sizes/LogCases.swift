import TributaryStore
import TributarySync

/// The size of the published log, for each row changed.
struct LogCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [
      Case(
        [
          Figure("log: insert, 100 rows/txn", .bytes, must: 112, goal: 95),
          Figure("log: insert, 10,000 rows/txn", .bytes, must: 103, goal: 79),
          Figure("log: update of 2 columns, 100 rows/txn", .bytes, must: 53, goal: 46),
          Figure("log: delete, 100 rows/txn", .bytes, must: 5.5, goal: 1),
        ], measure),
      Case(
        Figure("log: insert, 10,000 rows/txn, compacted segments", .bytes, must: nil, goal: 60),
        compacted
      ),
    ]
  }

  /// Measures the log after its author has had time to compact what it has published.
  private func compacted() throws -> Measurement {
    let rows = 100_000
    let rowsPerTransaction = 10_000
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("author")
    var published = 0
    for start in stride(from: 1, through: rows, by: rowsPerTransaction) {
      try stores.insert(
        "author", rows: rowsPerTransaction, from: start, rowsPerTransaction: rowsPerTransaction)
      published += try SharedStores.synchronize(stores.path("author")).published.segments
    }
    try SharedStores.settle(stores.path("author"))
    let log = try stores.log(of: "author")
    let sizes = try log.names.map { try log.segments.status(of: $0)?.size ?? 0 }
    return Measurement(
      value: Double(sizes.reduce(0, +)) / Double(rows),
      details: [
        (name: "segments", value: Double(sizes.count)), (name: "before", value: Double(published)),
      ])
  }

  private func measure() throws -> [Measurement] {
    let rows = 100_000
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("author")
    let first = Tracks(rows)
    let second = Tracks(rows, from: rows + 1, seed: 2)
    let inOrder = Array(0..<rows)
    var random = Randomness(seed: 5)
    let scattered = inOrder.shuffled(using: &random)
    let titles = Tracks(rows, seed: 6)
    let steps: [(Workload.Operation, Int, Tracks, [Int])] = [
      (.insert, 100, first, inOrder), (.insert, 10_000, second, inOrder),
      (.update, 100, first, scattered), (.delete, 100, first, inOrder),
    ]
    return try steps.map { operation, rowsPerTransaction, targets, order in
      let workload = Workload(
        operation: operation, rowsPerTransaction: rowsPerTransaction, rows: rows)
      let input = Workload.Input(targets: targets, order: order, titles: titles)
      try stores.write("author", [StoreRun(workload: workload, input: input)])
      let published = try SharedStores.synchronize(stores.path("author")).published
      return Measurement(
        value: Double(published.bytes) / Double(rows),
        details: [(name: "segments", value: Double(published.segments))]
          + (operation == .insert
            ? [(name: "payload", value: Double(targets.payloadByteCount))] : []))
    }
  }
}
