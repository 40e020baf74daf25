import TributarySync

/// Rebuilding a missing store from the logs, compared with ways to copy an existing database.
struct RebuildCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [
      Case(
        [
          Figure("rebuild, two indexes: to VACUUM INTO", must: 6, goal: 3.3),
          Figure("rebuild, two indexes: to .dump | sqlite3", must: 0.5, goal: 0.25),
          Figure("rebuild, two indexes: to cp and fsync", must: nil, goal: nil),
          Figure("rebuild: peak memory", .megabytes, must: 256, goal: 128),
        ], measure),
      Case(
        [Figure("attach from a baseline: to cp and fsync", must: 3, goal: 1.7)], measureBaseline),
    ]
  }

  /// Attaches a store whose logs are all in a baseline.
  private func measureBaseline() throws -> [Measurement] {
    let stores = try makeStores()
    let baseline = try SyncSession(store: stores.path("author")).writeBaseline()
    var attached: [Double] = []
    var copied: [Double] = []
    for _ in 0..<options.rounds {
      attached.append(try seconds { try stores.attach("based") })
      let path = stores.path("based")
      copied.append(try secondsOfCopying(path))
      try remove(path)
    }
    var measurement = compare(attached, copied, "cp and fsync ms")
    measurement.details.append((name: "baseline MB", value: Double(baseline.bytes) / 1e6))
    return [measurement]
  }

  /// Returns the time of copying a database, durably.
  private func secondsOfCopying(_ path: String) throws -> Double {
    let copy = path + "-copy"
    defer { fixtures.scratch.remove(database: copy) }
    return try seconds {
      try ChildProcess.run(["/bin/cp", path, copy])
      try fixtures.scratch.synchronize(copy)
    }
  }

  private func makeStores() throws -> SharedStores {
    let stores = try SharedStores(fixtures.scratch, indexes: true)
    try stores.attach("author")
    let tracks = Tracks(options.rows)
    let run = StoreRun(
      workload: Workload(
        operation: .insert, indexes: true, rowsPerTransaction: 100, rows: options.rows),
      input: Workload.Input(
        targets: tracks, order: Array(tracks.rows.indices), titles: tracks))
    try stores.write("author", [run])
    try SharedStores.synchronize(stores.path("author"))
    return stores
  }

  private func measure() throws -> [Measurement] {
    let stores = try makeStores()
    var rebuilt: [Double] = []
    var vacuumed: [Double] = []
    var dumped: [Double] = []
    var copied: [Double] = []
    for _ in 0..<options.rounds {
      rebuilt.append(try seconds { try stores.attach("rebuilt") })
      let path = stores.path("rebuilt")
      let copy = stores.path("copy")
      if !options.isForProfiling {
        let database = try PlainDatabase(path)
        vacuumed.append(try seconds { try database.execute("VACUUM INTO '\(copy)'") })
        fixtures.scratch.remove(database: copy)
        dumped.append(
          try seconds {
            try ChildProcess.run(["/bin/sh", "-c", "sqlite3 '\(path)' .dump | sqlite3 '\(copy)'"])
          })
        fixtures.scratch.remove(database: copy)
        copied.append(try secondsOfCopying(path))
      }
      try remove(path)
    }
    let peak = try ChildRun(
      .attach, store: stores.path("rebuilt"), container: stores.container
    ).measure().megabytes
    return [
      compare(rebuilt, vacuumed, "VACUUM INTO ms"), compare(rebuilt, dumped, ".dump ms"),
      compare(rebuilt, copied, "cp and fsync ms"),
      Measurement(value: peak),
    ]
  }

  private func compare(_ rebuilt: [Double], _ other: [Double], _ name: String) -> Measurement {
    let ratios = zip(rebuilt, other).map { $0 / $1 }
    return Measurement(
      value: ratios.median, rounds: ratios,
      details: [
        (name: name, value: other.median * 1000),
        (name: "rebuild ms", value: rebuilt.median * 1000),
      ])
  }

  private func remove(_ path: String) throws {
    try Engine.detach(store: path, removeLogs: true)
    fixtures.scratch.remove(database: path)
  }
}
