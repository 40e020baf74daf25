/// The size of a store's bookkeeping for its rows once nothing happens any more and every device knows
/// everything.
struct BookkeepingCases {
  let options: Options
  let fixtures: Fixtures

  private static let rows = 100_000
  /// The number of days on which nothing happens. A day after the last write, the devices propose a horizon
  /// and promise it. Then they write baselines, forget, and remove what the baselines stand for.
  private static let days: UInt64 = 6

  var all: [Case] {
    [
      Case(
        [
          Figure("bookkeeping a row, settled, where it was imported", .bytes, must: 1, goal: 0),
          Figure("bookkeeping a row, settled, where it was written", .bytes, must: 1, goal: 0),
        ], measure)
    ]
  }

  private func measure() throws -> [Measurement] {
    let stores = try SharedStores(fixtures.scratch)
    let names = ["reader", "author"]
    for name in names { try stores.attach(name) }
    let before = try names.map { try bookkeeping(of: stores.path($0)) }
    try stores.insert("author", rows: Self.rows, rowsPerTransaction: 100)
    // Twice, so that each also knows that the other knows.
    for name in ["author", "reader", "author", "reader"] {
      try SharedStores.synchronize(stores.path(name))
    }
    for day in 0...Self.days {
      for name in names { try SharedStores.settle(stores.path(name), on: day...day) }
    }
    return try zip(names, before).map { name, before in
      let bytes = try bookkeeping(of: stores.path(name)) - before
      let database = try PlainDatabase(stores.path(name))
      return Measurement(
        value: bytes / Double(Self.rows), details: [(name: "MB", value: bytes / 1e6)],
        note: "most of it in " + (try database.text(Self.largest)))
    }
  }

  /// The pages of the store's own tables, with their indexes.
  private static let pages = """
    (SELECT tbl_name AS name, pgsize FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name
    WHERE tbl_name LIKE 'tributary!_%' ESCAPE '!')
    """

  private static let largest =
    "SELECT name FROM \(pages) GROUP BY name ORDER BY sum(pgsize) DESC LIMIT 1"

  private func bookkeeping(of path: String) throws -> Double {
    try PlainDatabase(path).number("SELECT sum(pgsize) FROM \(Self.pages)")
  }
}
