import Foundation
import Testing
import TributarySync
import TributaryTesting

/// Columns that the writer of the only baseline has besides.
struct EmptyColumnTests {
  @Test func `one in which no row has a value keeps no other device from its own`() throws {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b", "c")
      try fleet.write("INSERT INTO t VALUES (1, 'one'), (2, 'two')", on: "a")
      try fleet.meet()
      try fleet.write("ALTER TABLE t ADD COLUMN z TEXT", on: "c")
      for day in 0..<3 {
        fleet.pass(days: 1)
        try fleet.write("UPDATE t SET v = 'day \(day)' WHERE id = 2", on: "b")
        try fleet.meet(rounds: 4)
      }
      #expect(try fleet.record("a").settled != nil)
      _ = try fleet["c"].writeBaseline()
      for name in ["a", "b"] {
        let directory = try fleet.directory.baseline(of: fleet.peer(name))
        if FileManager.default.fileExists(atPath: directory) {
          try FileManager.default.removeItem(atPath: directory)
        }
      }
      let store = fleet.devices.path("a")
      let rows = try fleet.rows("a")
      fleet.drop("a")
      let report = try Engine.verify(store: store, environment: fleet.environment)
      #expect(report.differenceCount == 0)
      _ = try Engine.rebuild(store: store, environment: fleet.environment)
      try fleet.open("a")
      #expect(try fleet.rows("a") == rows)
    }
  }
}
