import TributaryStore
import TributarySync

/// What a write costs beyond plain SQLite.
struct CaptureCounts {
  let counter: Counter
  let scratch: Scratch
  let fixtures: Fixtures

  private static let operations: [(Workload.Operation, String)] = [
    (.insert, "insert"), (.update, "update of 2 columns"), (.delete, "delete"),
  ]

  func figures() throws -> [CountedFigure] {
    let stores = try SharedStores(scratch, environment: .repeatable())
    try stores.attach("store")
    try stores.insert("store", rows: Workload.presentRows, rowsPerTransaction: 1000)
    let session = try stores.session("store")
    _ = try SharedStores.checked(session.synchronize())
    let plain = try PlainDatabase(scratch.file("counted.db"))
    try plain.execute(stores.schema)
    try fixtures.fill(plain, with: Tracks(Workload.presentRows), key: .integer)

    var figures: [CountedFigure] = []
    var next = Workload.presentRows + 1
    var isUsed = 0
    for (operation, name) in Self.operations {
      for (rowsPerTransaction, transactions) in [(1, 1000), (100, 100)] {
        let rows = rowsPerTransaction * transactions
        let workload = Workload(
          operation: operation, rowsPerTransaction: rowsPerTransaction, rows: rows)
        // Caches fill, and buffers grow to their size, before anything is counted.
        let warmth = Workload(
          operation: operation, rowsPerTransaction: rowsPerTransaction,
          rows: rowsPerTransaction * transactions / 10)
        func input(_ workload: Workload) -> Workload.Input {
          defer {
            next += operation == .insert ? workload.rows : 0
            isUsed += workload.rows
          }
          return self.input(workload, from: next, after: isUsed)
        }
        let runs = [(warmth, input(warmth)), (workload, input(workload))]
        var counts: [Counts] = []
        var plainCounts: [Counts] = []
        for (workload, input) in runs {
          let run = StoreRun(workload: workload, input: input)
          counts.append(try counter.count { try run.run(on: session.store) })
          let plainRun = PlainRun(workload: workload, input: input)
          plainCounts.append(try plainRun.measure(on: plain, by: counter.count))
        }
        let size = rowsPerTransaction == 1 ? "1 row/txn" : "\(rowsPerTransaction) rows/txn"
        figures += counts[1].figures(
          of: "capture: \(name), \(size)", rows: rows, per: ("a commit", transactions),
          plain: plainCounts[1])
        let published = try SharedStores.checked(session.synchronize()).published
        if rowsPerTransaction > 1 {
          figures.append(
            CountedFigure(
              "log: \(name), \(size): bytes a row", UInt64(published.bytes),
              of: rows + warmth.rows))
        }
      }
    }
    return figures
  }

  /// Returns rows that no other workload has touched or will touch.
  ///
  /// - Parameter start: the number of scattered rows that have been touched.
  private func input(
    _ workload: Workload, from first: Int, after start: Int
  ) -> Workload.Input {
    guard workload.operation != .insert else {
      let tracks = Tracks(workload.rows, from: first, seed: UInt64(first))
      return Workload.Input(targets: tracks, order: Array(tracks.rows.indices), titles: tracks)
    }
    var random = Randomness(seed: 3)
    let present = Tracks(Workload.presentRows)
    let order = Array(present.rows.indices).shuffled(using: &random)
    return Workload.Input(
      targets: present, order: Array(order[start..<start + workload.rows]),
      titles: Tracks(workload.rows, seed: 9))
  }
}
