import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// A device that others have retired, and that is there after all.
struct MistakenlyRetiredTests {
  private static let track =
    "CREATE TABLE track (code TEXT PRIMARY KEY, title TEXT, plays INTEGER) WITHOUT ROWID"

  private func withFleet(_ body: (ReturnFleet) throws -> Void) throws {
    var merge = TableMerge()
    merge.columns = [SQLName("plays"): .counter]
    try withTemporaryDirectory { directory in
      let fleet = try ReturnFleet(
        in: directory, Self.track, merge: MergeOptions(tables: ["track": merge]),
        setup: "INSERT INTO track VALUES ('carey', 'Carey', 10), ('river', 'River', 10)")
      try fleet.absent.execute("UPDATE track SET plays = plays + 1, title = 'Absent'")
      try fleet.absent.execute("INSERT INTO track VALUES ('blue', 'Blue', 1)")
      try fleet.a.execute("UPDATE track SET plays = plays + 5 WHERE code = 'river'")
      try fleet.declare()
      // Another device issues again what the retired one has published.
      #expect(try fleet.retire().returned?.retired == fleet.absent.store.peer)
      try body(fleet)
    }
  }

  @Test func `what another device has issued again counts once`() throws {
    try withFleet { fleet in
      let report = try fleet.absent.comeBack()
      #expect(report.failure == nil)
      #expect(report.returned?.reissued == 0)
      #expect(report.returned?.fenced == 0)
      try fleet.expectEqual()
      try fleet.expect(
        "SELECT * FROM track ORDER BY code", ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `what it has written since comes with it`() throws {
    try withFleet { fleet in
      try fleet.absent.execute("UPDATE track SET plays = plays + 2 WHERE code = 'carey'")
      try fleet.absent.execute("INSERT INTO track VALUES ('court', 'Court and Spark', 1)")
      #expect(try fleet.absent.comeBack().failure == nil)
      try fleet.expectEqual()
      try fleet.expect(
        "SELECT * FROM track ORDER BY code",
        ["blue|Blue|1", "carey|Absent|13", "court|Court and Spark|1", "river|Absent|16"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `a second device that retires it issues nothing again`() throws {
    try withFleet { fleet in
      try fleet.a.exchange()
      let report = try fleet.b.retire(fleet.absent.store.peer.description).report
      #expect(report.failure == nil)
      #expect(report.returned == nil)
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(
        try fleet.b.rows("SELECT * FROM track ORDER BY code")
          == ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
    }
  }
}
