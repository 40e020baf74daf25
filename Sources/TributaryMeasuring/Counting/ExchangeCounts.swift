import TributarySync

/// What publishing and importing do, for each row more.
struct ExchangeCounts {
  let counter: Counter
  let scratch: Scratch

  /// Rows of a small log and of a large one: what is done once for a log falls out of the difference.
  private static let few = 10_000
  private static let many = 30_000

  func figures() throws -> [CountedFigure] {
    try [(100, "100 rows/txn"), (1, "1 row/txn")].flatMap { try figures($0, $1) } + event()
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

  /// One commit on its way, and nothing at all, between stores that have been at it for a while.
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
    // The first look that finds nothing is what later ones are compared with.
    _ = try synchronize(reader)
    _ = try synchronize(reader)
    return try figures + synchronize(reader).figures(of: "synchronize with nothing new")
  }
}
