import TributaryStore
import TributarySync

/// What held rows cost other writes, and what it costs to hold many.
///
/// It counts only SQLite's steps: they show whether the work grows with the number of held rows.
struct HeldRowCounts {
  let counter: Counter
  let scratch: Scratch

  private static let schema = """
    CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, note TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY NOT NULL, whole TEXT REFERENCES part (id), note TEXT);
    """
  private static let heldRows = 20_000
  private static let commits = 200
  private static let chainLength = 4000

  func figures() throws -> [CountedFigure] { try besideHeldRows() + chain() }

  private func besideHeldRows() throws -> [CountedFigure] {
    let stores = try SharedStores(
      scratch, schema: Self.schema, environment: .repeatable())
    for name in ["author", "reader"] { try stores.attach(name) }
    let author = try stores.session("author")
    let reader = try stores.session("reader")
    try reader.store.write { try $0.execute(Self.items("r", 1...Self.commits)) }
    let without = try commits(reader, "r", from: Self.heldRows * 2)
    // Each row of one device claims the same as a row of the other.
    let collisions = (Self.heldRows + 1)...(Self.heldRows * 2)
    try author.store.write { try $0.execute(Self.items("a", collisions)) }
    try reader.store.write { try $0.execute(Self.items("r", collisions)) }
    for session in [author, reader, author, reader] {
      _ = try SharedStores.checked(session.synchronize())
    }
    guard try reader.conflicts().count == Self.heldRows else {
      throw BenchmarkError("not as many rows are held as should be")
    }
    let beside = try commits(reader, "r", from: Self.heldRows * 3)
    return zip(["update", "insert"], zip(without, beside)).flatMap { name, counts in
      [
        CountedFigure(
          "\(name), with no row held: SQLite's steps a commit", counts.0, of: Self.commits),
        CountedFigure(
          "\(name), with 20,000 rows held: SQLite's steps a commit", counts.1, of: Self.commits),
      ]
    }
  }

  /// Updates rows that nothing is held for, and inserts others, each in a separate commit.
  private func commits(
    _ session: SyncSession, _ prefix: String, from first: Int
  ) throws -> [UInt64] {
    let update = try counter.count {
      for row in 1...Self.commits {
        try session.store.write {
          try $0.execute("UPDATE item SET note = '\(first)' WHERE id = '\(prefix)\(row)'")
        }
      }
    }
    let insert = try counter.count {
      for row in first + 1...first + Self.commits {
        try session.store.write {
          try $0.execute("INSERT INTO item VALUES ('\(prefix)\(row)', 'n\(row)', '')")
        }
      }
    }
    return [update.steps, insert.steps]
  }

  private static func items(_ prefix: String, _ numbers: ClosedRange<Int>) -> String {
    """
    WITH RECURSIVE n (i) AS (
      SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
    INSERT INTO item SELECT '\(prefix)' || i, 'n' || i, '' FROM n
    """
  }

  /// Counts a chain of rows, each referring to the one before, after another device has deleted the
  /// first.
  private func chain() throws -> [CountedFigure] {
    let stores = try SharedStores(
      scratch, schema: Self.schema, environment: .repeatable())
    for name in ["author", "reader"] { try stores.attach(name) }
    let author = try stores.session("author")
    let reader = try stores.session("reader")
    try author.store.write { try $0.execute("INSERT INTO part VALUES ('0', NULL, '')") }
    for session in [author, reader] { _ = try SharedStores.checked(session.synchronize()) }
    try author.store.write { try $0.execute("DELETE FROM part") }
    try reader.store.write {
      try $0.execute(
        """
        WITH RECURSIVE n (i) AS (
          SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.chainLength))
        INSERT INTO part SELECT i, i - 1, '' FROM n
        """)
    }
    _ = try SharedStores.checked(author.synchronize())
    let holding = try counter.count { _ = try SharedStores.checked(reader.synchronize()) }
    guard try reader.conflicts().count == Self.chainLength else {
      throw BenchmarkError("not all of the chain is held")
    }
    let back = try counter.count {
      try reader.store.write { try $0.execute("INSERT INTO part VALUES ('0', NULL, '')") }
    }
    return [
      CountedFigure(
        "holding a chain of 4,000 rows: SQLite's steps a row", holding.steps,
        of: Self.chainLength),
      CountedFigure(
        "showing a chain of 4,000 rows again: SQLite's steps a row", back.steps,
        of: Self.chainLength),
    ]
  }
}
