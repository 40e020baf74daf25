import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that do not replicate all tables, and baselines.
struct LeftOutTableTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
    CREATE TABLE u (id INTEGER PRIMARY KEY, v TEXT)
    """
  private static let rows =
    "SELECT 't', id, v FROM t UNION ALL SELECT 'u', id, v FROM u ORDER BY 1, 2"

  /// Some devices with both tables, and some without the second one, that have written for days and have agreed on
  /// horizons.
  private func withFleet(
    whole: [String], partial: [String], rounds: Int = 4, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, schema: Self.schema)
      for name in whole { try fleet.attach(name) }
      for name in partial { try fleet.attach(name, tables: .except(["u"])) }
      for round in 0..<rounds {
        for (number, name) in (whole + partial).enumerated() {
          try fleet.write("INSERT INTO t VALUES (\(round * 10 + number), '\(name)')", on: name)
          if whole.contains(name) {
            try fleet.write("INSERT INTO u VALUES (\(round * 10 + number), '\(name)')", on: name)
          }
        }
        try fleet.meet()
        fleet.pass(days: 1)
        try fleet.meet(rounds: 4)
      }
      try body(fleet)
    }
  }

  @Test func `a device that keeps what others have dropped forgets by a baseline of its own`()
    throws
  {
    let first = Migration(
      name: "1",
      sql:
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w); CREATE TABLE u (id INTEGER PRIMARY KEY, v)")
    let dropping = Migration(
      name: "2",
      sql:
        "-- tributary: drop t.w\nALTER TABLE t DROP COLUMN w;\n-- tributary: drop u\nDROP TABLE u")
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c", "d", schema: first.sql)
      try fleet.write("INSERT INTO t VALUES (1, 'v', 'w'); INSERT INTO u VALUES (1, 'u')", on: "a")
      try fleet.meet()
      for name in ["a", "b"] { try fleet[name].store.migrate([first, dropping]) }
      try fleet.write("UPDATE t SET w = 'of c'; INSERT INTO u VALUES (2, 'of c')", on: "c")
      for round in 0..<4 {
        for name in ["a", "b", "c", "d"] {
          try fleet.write("UPDATE t SET v = '\(name) \(round)'", on: name)
        }
        try fleet.meet()
        fleet.pass(days: 1)
        try fleet.meet(rounds: 4)
      }
      for name in ["a", "b", "c", "d"] { #expect(try fleet.record(name).settled != nil) }
      for name in ["c", "d"] {
        #expect(try !fleet.baselines(name).isEmpty)
        let rows = "SELECT w FROM t UNION ALL SELECT v FROM u"
        #expect(try fleet[name].rows(rows) == ["of c", "u", "of c"])
        let path = fleet.devices.path(name)
        #expect(try Engine.verify(store: path, environment: fleet.environment).differenceCount == 0)
        fleet.drop(name)
        _ = try Engine.rebuild(store: path, environment: fleet.environment)
        try fleet.open(name)
        #expect(try fleet[name].rows(rows) == ["of c", "u", "of c"])
      }
    }
  }

  @Test func `only a device with all tables writes what others forget by`() throws {
    try withFleet(whole: ["a"], partial: ["b", "d"]) { fleet in
      #expect(try fleet.record("a").settled != nil)
      #expect(try !fleet.baselines("a").isEmpty)
      for name in ["b", "d"] { #expect(try fleet.baselines(name).isEmpty) }
      // Nobody else could bring the second table back.
      #expect(try fleet.segments("a").first?.hasPrefix("1-") == true)
      let before = try fleet["a"].rows(Self.rows)
      try fleet.attach("e")
      try fleet.meet()
      #expect(try fleet["e"].rows(Self.rows) == before)
      fleet.drop("a")
      _ = try Engine.rebuild(store: fleet.devices.path("a"), environment: fleet.environment)
      try fleet.open("a")
      #expect(try fleet["a"].rows(Self.rows) == before)
    }
  }

  @Test func `its command on another device says why, and changes nothing`() throws {
    try withFleet(whole: ["a"], partial: ["b"]) { fleet in
      let error = #expect(throws: SyncError.self) { try fleet["b"].writeBaseline() }
      #expect(error?.code == .unusableTable)
      #expect(error?.message.contains("leaves out table u") == true)
      #expect(try fleet.baselines("b").isEmpty)
      _ = try fleet["a"].writeBaseline()
      try fleet.meet()
      try fleet.attach("e")
      try fleet.meet()
      #expect(try fleet["e"].rows(Self.rows) == fleet["a"].rows(Self.rows))
    }
  }

  @Test func `two devices with all tables make room for all`() throws {
    try withFleet(whole: ["a", "c"], partial: ["b"]) { fleet in
      let settled = try #require(try fleet.record("b").settled)
      #expect(settled.horizon[fleet.peer("b")] > .zero)
      #expect(try fleet.segments("b").first?.hasPrefix("1-") == false)
      #expect(try fleet.segments("a").first?.hasPrefix("1-") == false)
      try fleet.attach("e")
      try fleet.meet()
      #expect(try fleet["e"].rows(Self.rows) == fleet["a"].rows(Self.rows))
    }
  }

  @Test func `a table that nobody else has is no reason to write none`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, schema: Self.schema)
      try fleet.attach("a", tables: .except(["u"]))
      try fleet.write("INSERT INTO t VALUES (1, 'a'); INSERT INTO u VALUES (1, 'a')", on: "a")
      try fleet.meet()
      _ = try fleet["a"].writeBaseline()
      #expect(try fleet.record("a").settled != nil)
      // Its baseline is no less than there was.
      try fleet.attach("e", tables: .all)
      try fleet.write("INSERT INTO u VALUES (7, 'e')", on: "e")
      try fleet.meet()
      #expect(try fleet["e"].rows(Self.rows) == ["t|1|a", "u|7|e"])
    }
  }

  @Test func `a device that was left out by others without its table keeps and shares that`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, schema: Self.schema)
      try fleet.attach("a")
      try fleet.attach("b", tables: .except(["u"]))
      try fleet.write(
        "INSERT INTO t VALUES (1, 'a'); INSERT INTO u VALUES (1, 'a'), (2, 'a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (2, 'b')", on: "b")
      try fleet.meet()
      // Nobody counts on it any more, so that nobody is known who has the table.
      _ = try fleet["b"].retire("a")
      try fleet.write("UPDATE u SET v = 'later' WHERE id = 2", on: "a")
      try fleet.write("UPDATE t SET v = 'later' WHERE id = 2", on: "b")
      try fleet.meet("b", rounds: 1)
      _ = try fleet["b"].writeBaseline()
      try fleet.meet("b", rounds: 2)
      try fleet.meet(rounds: 3)
      #expect(
        try fleet["a"].rows(Self.rows) == ["t|1|a", "t|2|later", "u|1|a", "u|2|later"])
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      try fleet.attach("e")
      try fleet.meet(rounds: 3)
      #expect(try fleet["e"].rows(Self.rows) == fleet["a"].rows(Self.rows))
    }
  }
}
