import Foundation
import Testing
import TributaryCore
import TributaryHorizon
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that keep what migrations elsewhere have dropped, once the logs are forgotten.
struct DroppedColumnTests {
  private static let first = Migration(
    name: "1", sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w DEFAULT 'none')")
  private static let dropping = Migration(
    name: "2", sql: "-- tributary: drop t.w\nALTER TABLE t DROP COLUMN w")
  private static let rows = "SELECT id, v, w FROM t ORDER BY id"

  /// A fleet in which "c" keeps the column, and "a" and "b" write the baselines first.
  private func withFleet(_ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c", schema: Self.first.sql)
      try fleet.write("INSERT INTO t VALUES (1, 'c', 'of c')", on: "c")
      try fleet.write("INSERT INTO t VALUES (2, 'b', 'of b')", on: "b")
      try fleet.meet()
      try fleet["a"].store.migrate([Self.first, Self.dropping])
      try fleet.write("INSERT INTO t (id, v) VALUES (3, 'a')", on: "a")
      try fleet.meet()
      try fleet["b"].store.migrate([Self.first, Self.dropping])
      _ = try fleet["a"].writeBaseline()
      // Whoever has more than the horizon makes its baseline of what is in the container.
      for round in 0..<6 {
        for (number, name) in ["a", "b", "c"].enumerated() {
          let id = 10 + round * 3 + number
          try fleet.write("INSERT INTO t (id, v) VALUES (\(id), '\(name)')", on: name)
        }
        try fleet.meet("a", "b", "c", rounds: 1)
        fleet.pass(days: 1)
      }
      try fleet.meet(rounds: 4)
      #expect(try fleet.record("c").settled != nil)
      #expect(try fleet.segments("b").first?.hasPrefix("1-") == false)
      try body(fleet)
    }
  }

  @Test func `a rebuild keeps the values of a column that others have dropped`() throws {
    try withFleet { fleet in
      let before = try fleet["c"].rows(Self.rows)
      #expect(before.prefix(3) == ["1|c|of c", "2|b|of b", "3|a|none"])
      let path = fleet.devices.path("c")
      #expect(try Engine.verify(store: path, environment: fleet.environment).differenceCount == 0)
      fleet.drop("c")
      let report = try Engine.rebuild(store: path, environment: fleet.environment)
      #expect(report.setAside == nil)
      try fleet.open("c")
      #expect(try fleet["c"].rows(Self.rows) == before)
    }
  }

  @Test
  func `where only baselines of the others are left, a rebuild is refused and says what would go`()
    throws
  {
    try withFleet { fleet in
      let before = try fleet["c"].rows(Self.rows)
      let path = fleet.devices.path("c")
      let own = try fleet.directory.baseline(of: fleet.peer("c"))
      let aside = fleet.devices.directory + "/aside"
      fleet.drop("c")
      try FileManager.default.moveItem(atPath: own, toPath: aside)
      let attempts: [() throws -> Void] = [
        { _ = try Engine.rebuild(store: path, environment: fleet.environment) },
        { _ = try Engine.verify(store: path, environment: fleet.environment) },
      ]
      for run in attempts {
        let error = #expect(throws: SyncError.self) { try run() }
        #expect(error?.code == .logsMissing)
        #expect(error?.message.contains("column w of table t") == true)
        #expect(error?.remedy.contains("run the migration that drops it here") == true)
      }
      try fleet.open("c")
      #expect(try fleet["c"].rows(Self.rows) == before)
      fleet.drop("c")
      try FileManager.default.moveItem(atPath: aside, toPath: own)
      _ = try Engine.rebuild(store: path, environment: fleet.environment)
      try fleet.open("c")
      #expect(try fleet["c"].rows(Self.rows) == before)
    }
  }
}
