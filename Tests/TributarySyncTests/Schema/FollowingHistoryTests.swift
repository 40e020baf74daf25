import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Random histories of devices that all follow, and that all change their schemas.
struct FollowingHistoryTests {
  /// A device, with what it has added to its schema.
  private struct Device {
    let session: SyncSession
    let name: String
    var count = 0

    /// The tables with their columns besides the key.
    func tables() throws -> [(name: String, columns: [String])] {
      try session.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 't%' "
          + "AND name NOT LIKE 'tributary%' ORDER BY name"
      ).map { table in
        (
          table,
          try session.rows(
            "SELECT name FROM pragma_table_xinfo('\(table)') WHERE hidden = 0 AND pk = 0")
        )
      }
    }

    mutating func change(using random: inout SeededGenerator) throws {
      count += 1
      let new = "\(name)\(count)"
      let table = try tables().randomElement(using: &random)?.name ?? "t"
      let options = [
        "CREATE TABLE t\(new) (k TEXT PRIMARY KEY NOT NULL, v, w INTEGER NOT NULL DEFAULT 5)",
        "ALTER TABLE \(table) ADD COLUMN c\(new) TEXT",
        "ALTER TABLE \(table) ADD COLUMN c\(new) TEXT NOT NULL DEFAULT 'd'",
        "ALTER TABLE \(table) ADD COLUMN c\(new) INTEGER DEFAULT 1 CHECK (c\(new) <> 'no')",
        "ALTER TABLE \(table) ADD COLUMN c\(new) AS (k || 'x') VIRTUAL",
        "CREATE INDEX i\(new) ON \(table) (k)",
      ]
      try session.execute(options.randomElement(using: &random) ?? options[0])
    }

    func write(using random: inout SeededGenerator) throws {
      guard let table = try tables().randomElement(using: &random) else { return }
      let key = "k\(Int.random(in: 0..<6, using: &random))"
      let columns = table.columns.filter { _ in Bool.random(using: &random) }
      let value = "\(name)-\(Int.random(in: 0..<99, using: &random))"
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try session.execute("DELETE FROM \(table.name) WHERE k = '\(key)'")
      case 1 where !columns.isEmpty:
        let sets = columns.map { "\($0) = '\(value)'" }.joined(separator: ", ")
        try session.execute("UPDATE \(table.name) SET \(sets) WHERE k = '\(key)'")
      default:
        let names = (["k"] + columns).joined(separator: ", ")
        let values = (["'\(key)'"] + columns.map { _ in "'\(value)'" }).joined(separator: ", ")
        try session.execute("INSERT OR REPLACE INTO \(table.name) (\(names)) VALUES (\(values))")
      }
    }

    /// Writes all tables and columns, so that every other device needs them.
    func useEverything() throws {
      for table in try tables() {
        let names = (["k"] + table.columns).joined(separator: ", ")
        let values = (["'last \(name)'"] + table.columns.map { _ in "7" }).joined(separator: ", ")
        try session.execute("INSERT INTO \(table.name) (\(names)) VALUES (\(values))")
      }
    }
  }

  @Test func `devices that follow each other show the same in the end`() throws {
    try withSeeds(0..<12) { random in
      try withTemporaryDirectory { directory in
        let devices = try SyncDevices(in: directory)
        var all = try ["a", "b", "c"].map { name in
          Device(
            session: try devices.openFollowing(
              name, "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, v)",
              capture: name == "b" ? .triggers : .hook), name: name)
        }
        for _ in 0..<40 {
          let place = Int.random(in: 0..<all.count, using: &random)
          switch Int.random(in: 0..<10, using: &random) {
          case 0...1: try all[place].change(using: &random)
          case 2...4:
            let report = try all[place].session.synchronize()
            try #require(report.failure == nil && report.waiting.isEmpty)
          default: try all[place].write(using: &random)
          }
        }
        for device in all { try device.useEverything() }
        let sessions = all.map(\.session)
        for _ in 0..<3 { for session in sessions { try session.exchange() } }
        let digests = try Set(sessions.map { try $0.store.digest().total })
        try #require(digests.count == 1)
        // Rows, not conflicts: which values an insert without a column has overwritten is another matter.
      }
    }
  }
}
