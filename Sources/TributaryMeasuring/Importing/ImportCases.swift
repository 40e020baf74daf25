import TributaryCore
import TributaryStore
import TributarySync

/// Importing the log of another store, compared with a loop that inserts the same rows with plain
/// SQLite.
struct ImportCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [
      make("integer key", .integer, 100, must: 1.3, goal: 0.95),
      make("16-byte key", .blob, 100, must: 1.3, goal: 1.05),
      make(
        "foreign key and unique index", .integer, 100, isConstrained: true, must: 1.3, goal: 0.95),
      make("log of 1-row transactions", .integer, 1, must: 1.5, goal: 1.0),
      Case(Figure("import: half the rows touched here too", must: 2.5, goal: 1.6)) {
        try concurrent(inConflict: false)[0]
      },
      Case(
        [
          Figure("import: half the rows in conflict", must: nil, goal: nil),
          Figure("import: peak memory", .megabytes, must: 256, goal: 128),
        ], { try concurrent(inConflict: true) }),
    ]
  }

  private func make(
    _ name: String, _ key: Workload.Key, _ rowsPerTransaction: Int, isConstrained: Bool = false,
    must: Double, goal: Double
  ) -> Case {
    Case(Figure("import: " + name, must: must, goal: goal)) {
      try insertions(key, rowsPerTransaction, isConstrained: isConstrained)
    }
  }

  private func insertions(
    _ key: Workload.Key, _ rowsPerTransaction: Int, isConstrained: Bool
  ) throws -> Measurement {
    var workload = Workload(
      operation: .insert, key: key, isConstrained: isConstrained,
      rowsPerTransaction: rowsPerTransaction, rows: options.rows)
    let tracks = Tracks(options.rows)
    let input = Workload.Input(
      targets: tracks, order: Array(tracks.rows.indices), titles: tracks)
    let stores = try SharedStores(fixtures.scratch, key: key, isConstrained: isConstrained)
    try stores.attach("author")
    try stores.attach("reader")
    if isConstrained { try stores.writeYears("author", for: ["reader"]) }
    try stores.write("author", [StoreRun(workload: workload, input: input)])
    try SharedStores.synchronize(stores.path("author"))

    let empty = stores.path("plain")
    try PlainDatabase(empty).execute(
      workload.schema + (isConstrained ? Workload.insertYears : ""))
    workload.rowsPerTransaction = 10_000
    let run = PlainRun(workload: workload, input: input)
    let isUsual = key == .integer && rowsPerTransaction > 1 && !isConstrained
    return try compare(
      plain: empty, run, reader: stores.path("reader"),
      others: isUsual ? options.peers.compactMap { PeerMerge($0, of: run, fixtures.scratch) } : [])
  }

  private typealias Times = (wall: Double, processor: Double)

  private func compare(
    plain file: String, _ run: PlainRun, reader: String, others: [PeerMerge] = []
  ) throws -> Measurement {
    var others = others
    var plain: [Times] = []
    var imported: [Times] = []
    for _ in 0..<options.rounds {
      if !options.isForProfiling {
        plain.append(try fixtures.scratch.withCopy(of: file) { try run.measure($0) })
      }
      imported.append(
        try fixtures.scratch.withCopy(of: reader) { path in
          let session = try SyncSession(store: .forMeasuring(path))
          var transactions = 0
          let time = try timed {
            transactions = try SharedStores.checked(session.synchronize()).imported.transactions
          }
          guard transactions > 0 else { throw BenchmarkError("nothing was imported") }
          return time
        })
      for index in others.indices { others[index].measure(fixtures.scratch) }
    }
    let ratios = zip(imported, plain).map { $0.wall / $1.wall }
    let scale = 1e6 / Double(run.workload.rows)
    return Measurement(
      value: ratios.median, rounds: ratios,
      details: [
        (name: "plain µs/row", value: plain.map(\.wall).median * scale),
        (name: "import µs/row", value: imported.map(\.wall).median * scale),
        (name: "processor", value: zip(imported, plain).map { $0.processor / $1.processor }.median),
      ], others: others.map { $0.times.other(beside: plain.map(\.wall)) })
  }

  /// Measures concurrent updates: every row on the other device, and every second row on this one,
  /// without knowledge of each other.
  ///
  /// - Parameter inConflict: whether they update the same columns.
  private func concurrent(inConflict: Bool) throws -> [Measurement] {
    let rows = options.rows
    let tracks = Tracks(rows)
    let all = Workload.Input(
      targets: tracks, order: Array(tracks.rows.indices), titles: Tracks(rows, seed: 11))
    let half = Workload.Input(
      targets: tracks, order: all.order.filter { $0 % 2 == 0 }, titles: Tracks(rows, seed: 12))
    let insert = Workload(operation: .insert, rowsPerTransaction: 10_000, rows: rows)
    var update = Workload(operation: .update, rowsPerTransaction: 100, rows: rows)

    let stores = try SharedStores(fixtures.scratch)
    for name in ["author", "reader"] { try stores.attach(name) }
    try stores.write("author", [StoreRun(workload: insert, input: all)])
    for name in ["author", "reader"] { try SharedStores.synchronize(stores.path(name)) }
    try stores.write("author", [StoreRun(workload: update, input: all)])
    var here = update
    here.isElsewhere = !inConflict
    try stores.write("reader", [StoreRun(workload: here, input: half)])
    for name in ["reader", "author"] { try SharedStores.synchronize(stores.path(name)) }

    let plain = stores.path("plain")
    try PlainDatabase(plain).execute(insert.schema)
    _ = try PlainRun(workload: insert, input: all).measure(plain)
    update.rowsPerTransaction = 10_000
    let time = try compare(
      plain: plain, PlainRun(workload: update, input: all), reader: stores.path("reader"))
    let peak = try fixtures.scratch.withCopy(of: stores.path("reader")) {
      try ChildRun(.synchronize, store: $0, container: stores.container).measure().megabytes
    }
    return [time, Measurement(value: peak)]
  }
}
