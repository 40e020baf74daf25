import TributarySync

/// The costs of publishing and importing, for each additional row.
struct ExchangeCounts {
  let counter: Counter
  let scratch: Scratch

  /// The number of rows of a small log and of a large one: the difference excludes what is done once per log.
  private static let few = 10_000
  private static let many = 30_000

  func figures() throws -> [CountedFigure] {
    try [(100, "100 rows/txn"), (1, "1 row/txn")].flatMap { try figures($0, $1) } + conflicts()
      + event()
  }

  private func figures(_ rowsPerTransaction: Int, _ size: String) throws -> [CountedFigure] {
    let small = try exchange(Self.few, rowsPerTransaction)
    let large = try exchange(Self.many, rowsPerTransaction)
    let rows = Self.many - Self.few
    let portion = (name: "for 10,000 rows", count: rows / 10_000)
    return (large.publishing - small.publishing).figures(
      of: "publish, \(size)", rows: rows, per: portion)
      + (large.importing - small.importing).figures(
        of: "import, \(size)", rows: rows, per: portion)
  }

  private func exchange(
    _ rows: Int, _ rowsPerTransaction: Int
  ) throws -> (publishing: Counts, importing: Counts) {
    let stores = try SharedStores(scratch, environment: .repeatable())
    for name in ["author", "reader"] { try stores.attach(name) }
    try stores.insert("author", rows: rows, rowsPerTransaction: rowsPerTransaction)
    return (
      try synchronize(try stores.session("author")), try synchronize(try stores.session("reader"))
    )
  }

  private func synchronize(_ session: SyncSession) throws -> Counts {
    try counter.count { _ = try SharedStores.checked(session.synchronize()) }
  }

  /// Counts conflicts: all rows are updated on the other device, and every second row on this one, without
  /// knowledge of each other.
  ///
  /// The counts are not per additional row, so that costs that grow with the square of the number of
  /// conflicts show.
  private func conflicts() throws -> [CountedFigure] {
    let rows = 2000
    let tracks = Tracks(rows)
    let stores = try SharedStores(scratch, environment: .repeatable())
    for name in ["author", "reader"] { try stores.attach(name) }
    let author = try stores.session("author")
    let reader = try stores.session("reader")
    try stores.insert(into: author.store, rows: rows, rowsPerTransaction: 100)
    for session in [author, reader] { _ = try synchronize(session) }
    let update = Workload(operation: .update, rowsPerTransaction: 100, rows: rows)
    for (session, seed, step) in [(author, UInt64(11), 1), (reader, 12, 2)] {
      try StoreRun(
        workload: update,
        input: Workload.Input(
          targets: tracks, order: Array(stride(from: 0, to: rows, by: step)),
          titles: Tracks(rows, seed: seed))
      ).run(on: session.store)
    }
    for session in [reader, author] { _ = try synchronize(session) }
    return try synchronize(reader).figures(
      of: "import of 2,000 rows, half in conflict", rows: rows, per: ("in all", 1))
  }

  /// Counts the exchange of one commit, and an exchange of nothing, between stores that have been running for
  /// a while.
  private func event() throws -> [CountedFigure] {
    let stores = try SharedStores(scratch, environment: .repeatable())
    for name in ["author", "reader"] { try stores.attach(name) }
    let author = try stores.session("author")
    let reader = try stores.session("reader")
    var figures: [CountedFigure] = []
    for row in 1...10 {
      try stores.insert(
        into: author.store, rows: 1, from: row, rowsPerTransaction: 1)
      let publishing = try synchronize(author)
      let importing = try synchronize(reader)
      figures =
        publishing.figures(of: "publish one commit") + importing.figures(of: "import one commit")
    }
    // Later scans are compared with the first one that finds nothing.
    _ = try synchronize(reader)
    _ = try synchronize(reader)
    return try figures + synchronize(reader).figures(of: "synchronize with nothing new")
  }
}
