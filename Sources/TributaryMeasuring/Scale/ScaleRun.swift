/// Publishes, imports and rebuilds one load, each in a separate process that reports its memory.
struct ScaleRun {
  let load: any ScaleLoad
  let scratch: Scratch

  struct Result {
    /// The outcome of publishing; absent if the authors also import each other's logs.
    var publishing: ChildRun.Outcome?
    /// The median of the rounds' times, and the largest of their memories.
    var importing: ChildRun.Outcome
    var rebuilding: ChildRun.Outcome
    /// The time of plain SQLite, in seconds.
    var plain: Double
  }

  func run() throws -> Result {
    let stores = try SharedStores(scratch, schema: load.schema)
    defer { scratch.remove(directory: stores.container) }
    let readers = (1...load.rounds).map { "reader\($0)" }
    for name in load.authors + readers { try stores.attach(name) }
    defer { for name in load.authors + readers { scratch.remove(database: stores.path(name)) } }
    for (number, author) in load.authors.enumerated() {
      try load.write(by: number, into: stores.session(author).store)
    }
    let publishing = try publish(stores)

    var imports: [ChildRun.Outcome] = []
    var plain: [Double] = []
    for reader in readers {
      plain.append(try plainTime(stores))
      imports.append(try child(.synchronize, stores.path(reader), stores).measure())
      try check(stores.path(reader))
      // The largest loads need their disk space back.
      scratch.remove(database: stores.path(reader))
    }
    let rebuilt = stores.path("rebuilt")
    defer { scratch.remove(database: rebuilt) }
    let rebuilding = try child(.attach, rebuilt, stores).measure()
    try check(rebuilt)
    return Result(
      publishing: publishing,
      importing: ChildRun.Outcome(
        seconds: imports.map(\.seconds).median, megabytes: imports.map(\.megabytes).max() ?? 0),
      rebuilding: rebuilding, plain: plain.median)
  }

  private func publish(_ stores: SharedStores) throws -> ChildRun.Outcome? {
    guard load.authors.count == 1 else {
      for author in load.authors { try SharedStores.synchronize(stores.path(author)) }
      return nil
    }
    let author = load.authors[0]
    let outcome = try child(.synchronize, stores.path(author), stores).measure()
    if let count = load.transactionsPerSegment {
      try stores.log(of: author).split(transactionsPerSegment: count)
    }
    return outcome
  }

  private func plainTime(_ stores: SharedStores) throws -> Double {
    let path = stores.path("plain")
    defer { scratch.remove(database: path) }
    let database = try PlainDatabase(path)
    try database.execute(load.schema)
    return try load.write(into: database)
  }

  private func child(_ task: ChildRun.Task, _ store: String, _ stores: SharedStores) -> ChildRun {
    ChildRun(task, store: store, container: stores.container)
  }

  private func check(_ path: String) throws {
    let rows = Int(try PlainDatabase(path).number(load.check.sql))
    guard rows == load.check.rows else {
      throw BenchmarkError("\(rows) of \(load.check.rows) rows arrived")
    }
  }
}
