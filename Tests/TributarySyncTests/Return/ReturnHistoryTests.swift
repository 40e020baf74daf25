import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Random writes on a device that others leave out, and on the others: nothing is lost, and nothing of the others is
/// undone.
struct ReturnHistoryTests {
  private static let schema = """
    CREATE TABLE pair (code TEXT PRIMARY KEY, x TEXT, y TEXT) WITHOUT ROWID;
    CREATE TABLE album (id INTEGER PRIMARY KEY, name TEXT UNIQUE, mark TEXT);
    CREATE TABLE track (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id), mark TEXT);
    CREATE TABLE note (mark TEXT);
    """

  /// Writes that name their author, so that each value is found again.
  private struct Writing {
    var random: SeededGenerator
    /// Whether rows may be held. Deciding about these needs the logs.
    let clashes: Bool
    var count = 0

    mutating func write(_ author: String, _ session: SyncSession) throws {
      count += 1
      let (value, code) = ("\(author) \(count)", "k\(Int.random(in: 0..<6, using: &random))")
      let name = clashes ? "n\(Int.random(in: 0..<5, using: &random))" : value
      let id = "(SELECT id FROM album ORDER BY random() LIMIT 1)"
      let sql = [
        "INSERT INTO pair VALUES ('\(code)', '\(value) x', '\(value) y')",
        "REPLACE INTO pair VALUES ('\(code)', '\(value) x', '\(value) y')",
        "UPDATE pair SET x = '\(value) x' WHERE code = '\(code)'",
        "UPDATE pair SET y = '\(value) y' WHERE code <= '\(code)'",
        "DELETE FROM pair WHERE code = '\(code)'",
        "INSERT INTO album (name, mark) VALUES ('\(name)', '\(value)')",
        "UPDATE album SET mark = '\(value)' WHERE id = \(id)",
        "UPDATE album SET name = '\(name)' WHERE id = \(id)",
        clashes ? "DELETE FROM album WHERE id = \(id)" : "DELETE FROM album WHERE false",
        "INSERT INTO track (album, mark) VALUES (\(id), '\(value)')",
        "UPDATE track SET mark = '\(value)', album = \(id) WHERE id % 3 = \(count % 3)",
        "DELETE FROM track WHERE id % 4 = \(count % 4)",
        "INSERT INTO note VALUES ('\(value)'), ('\(value)')",
        "UPDATE note SET mark = '\(value)' WHERE rowid = (SELECT min(rowid) FROM note)",
        "DELETE FROM note WHERE rowid = (SELECT max(rowid) FROM note)",
      ].randomElement(using: &random)!
      do {
        try session.store.write { try $0.execute(sql) }
      } catch let error as SQLiteError {
        // What the constraints refuse is not written.
        guard error.description.contains("constraint") else { throw error }
      } catch let error as StoreError {
        guard "\(error)".contains("conflict") else { throw error }
      }
    }
  }

  /// The values that a device shows, and those in conflicts.
  private func values(_ session: SyncSession) throws -> (shown: Set<String>, lost: Set<String>) {
    let shown = try session.rows(
      """
      SELECT x FROM pair UNION SELECT y FROM pair UNION SELECT mark FROM album
      UNION SELECT mark FROM track UNION SELECT mark FROM note
      """)
    var lost: Set<String> = []
    for cell in try session.conflicts().flatMap(\.values) {
      if case .text(let bytes) = cell.value { lost.insert(String(decoding: bytes, as: UTF8.self)) }
    }
    return (Set(shown), lost)
  }

  private func run(_ seeds: Range<UInt64>, keepsLogs: Bool, isLost: Bool = false) throws {
    try withSeeds(seeds, filter: "ReturnHistoryTests") { random in
      try withTemporaryDirectory { path in
        var fleet = try ReturnFleet(in: path, Self.schema)
        fleet.isLost = isLost
        var writing = Writing(random: random, clashes: keepsLogs)
        for _ in 0..<12 { try writing.write("setup", fleet.a) }
        try exchange(fleet.a, fleet.b, fleet.absent)
        for round in isLost ? 1...1 : 1...2 {
          for _ in 0..<10 {
            try writing.write("absent \(round)", fleet.absent)
            let other = Bool.random(using: &writing.random) ? fleet.a : fleet.b
            try writing.write("others \(round)", other)
          }
          let own = try values(fleet.absent)
          try fleet.declare(weight: UInt64(round) * 2)
          let theirs = try values(fleet.a)
          if !keepsLogs { try fleet.removeLogs() }
          try fleet.comeBack()
          let after = try values(fleet.a)
          let all = after.shown.union(after.lost)
          // What is older, others have known when they wrote.
          let missing = own.shown.union(own.lost).filter { $0.hasPrefix("absent \(round)") }
            .subtracting(all)
          try #require(missing == [], "lost")
          let undone = theirs.shown.filter { $0.hasPrefix("others \(round)") }.subtracting(all)
          try #require(undone == [], "undone")
          let changed = theirs.shown.filter { $0.hasPrefix("others \(round)") && $0.hasSuffix("x") }
            .subtracting(after.shown)
          try #require(changed == [], "no longer shown")
        }
      }
    }
  }

  @Test func `nothing is lost or undone where the logs are there`() throws {
    try run(0..<20, keepsLogs: true)
  }

  @Test func `nothing is lost or undone where the logs are gone`() throws {
    try run(100..<120, keepsLogs: false)
  }

  @Test func `nothing is lost or undone where its author is lost`() throws {
    try run(200..<220, keepsLogs: true, isLost: true)
  }
}
