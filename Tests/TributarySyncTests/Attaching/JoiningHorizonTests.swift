import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases with rows that are attached where the devices have forgotten what came first.
struct JoiningHorizonTests {
  /// Two devices, of which one is detached, and changed by another program while the other one forgets.
  private func withDetached(
    _ script: String, on first: String, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      for id in 1...3 { try fleet.write("INSERT INTO t VALUES (\(id), 'a')", on: "a") }
      try fleet.meet()
      fleet.drop("b")
      try Engine.detach(
        store: fleet.devices.path("b"), removeLogs: false, environment: fleet.environment)
      do {
        let database = try Connection(path: fleet.devices.path("b"), mode: .readWrite)
        defer { database.close() }
        try database.execute(script)
      }
      _ = try fleet["a"].retire("b")
      try fleet.write(first, on: "a")
      try fleet.meet("a")
      for _ in 0..<2 { _ = try fleet["a"].writeBaseline() }
      try fleet.meet("a")
      #expect(try fleet.record("a").settled != nil)
      try body(fleet)
    }
  }

  @Test func `what was deleted beneath the horizon stays deleted, and an edit is in a conflict`()
    throws
  {
    try withDetached(
      "UPDATE t SET v = 'offline' WHERE id = 1", on: "DELETE FROM t WHERE id = 2"
    ) { fleet in
      let report = try fleet.attach("b")
      #expect(report.conflicts == 2)
      #expect(report.doubted == 1)
      #expect(report.setAside == nil)
      try fleet.meet()
      for name in ["a", "b"] {
        #expect(try fleet.rows(name) == ["1|a", "3|a"])
        let conflicts = try fleet[name].conflicts().sorted { "\($0.key)" < "\($1.key)" }
        #expect(conflicts.map(\.key) == [[.integer(1)], [.integer(2)]])
        #expect(conflicts[0].values.map(\.value) == [.text(Array("offline".utf8))])
      }
      try fleet.expectEqual()
      for conflict in try fleet["b"].conflicts() {
        _ = try fleet["b"].resolve(conflict.id, .restore)
      }
      try fleet.meet()
      for name in ["a", "b"] {
        #expect(try fleet.rows(name) == ["1|offline", "2|a", "3|a"])
        #expect(try fleet[name].conflicts().isEmpty)
      }
      try fleet.expectEqual()
    }
  }

  @Test func `what others have written since beside it stays`() throws {
    try withDetached("UPDATE t SET v = 'offline'", on: "UPDATE t SET v = 'new' WHERE id = 2") {
      fleet in
      try fleet.write("UPDATE t SET v = 'newer' WHERE id = 3", on: "a")
      try fleet.meet("a")
      let report = try fleet.attach("b")
      #expect(report.conflicts == 3)
      try fleet.meet()
      for name in ["a", "b"] {
        #expect(try fleet.rows(name) == ["1|a", "2|new", "3|newer"])
        #expect(try fleet[name].conflicts().count == 3)
      }
      try fleet.expectEqual()
    }
  }

  @Test func `a database that has nothing in common with the others' adds its rows`() throws {
    try withDetached(
      "UPDATE t SET id = id + 100", on: "INSERT INTO t VALUES (4, 'a')"
    ) { fleet in
      let report = try fleet.attach("b")
      #expect(report.outcome == .joined(added: 3))
      #expect(report.conflicts == 0)
      try fleet.meet()
      for name in ["a", "b"] {
        #expect(
          try fleet.rows(name) == ["1|a", "2|a", "3|a", "4|a", "101|a", "102|a", "103|a"])
      }
      try fleet.expectEqual()
    }
  }
}
