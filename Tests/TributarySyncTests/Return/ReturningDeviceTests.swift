import Foundation
import Testing
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a device that comes back keeps and gives up, beside its rows.
struct ReturningDeviceTests {
  private static let table = "CREATE TABLE t (code TEXT PRIMARY KEY, v TEXT)"

  private func withFleet(
    _ script: String = table, setup: String = "INSERT INTO t VALUES ('a', 'first')",
    _ body: (ReturnFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { try body(ReturnFleet(in: $0, script, setup: setup)) }
  }

  private static let rows = "SELECT code, v FROM t ORDER BY code"

  @Test func `a device that has nothing to issue keeps its identity`() throws {
    try withFleet { fleet in
      let own = fleet.absent.store.peer
      try fleet.a.execute("UPDATE t SET v = 'second'")
      try fleet.declare()
      try fleet.removeLogs()
      let report = try fleet.comeBack()
      #expect(report.former == nil)
      #expect(report.fenced == 0)
      #expect(report.reissued == 0)
      #expect(fleet.absent.store.peer == own)
      try fleet.expect(Self.rows, ["a|second"])
      try fleet.absent.execute("INSERT INTO t VALUES ('b', 'later')")
      try fleet.expectEqual()
      try fleet.expect(Self.rows, ["a|second", "b|later"])
    }
  }

  @Test func `a device that obeys the declaration stays as it is`() throws {
    try withFleet { fleet in
      try fleet.declare()
      #expect(try fleet.a.comeBack().returned == nil)
      #expect(try fleet.b.comeBack().returned == nil)
      _ = try fleet.absent.comeBack()
      #expect(try fleet.absent.comeBack().returned == nil)
    }
  }

  @Test func `a device with a promise takes another identity, which promises nothing`() throws {
    try withFleet { fleet in
      let own = fleet.absent.store.peer
      let promise = try fleet.declare(weight: 3, members: [fleet.absent, fleet.a])
      try fleet.absent.store.exchange {
        try HorizonRecord(
          state: HorizonState(obeyed: nil, promises: [promise], dropped: [])
        ).write(to: $0)
      }
      try fleet.a.execute("UPDATE t SET v = 'second'")
      let declaration = try fleet.declare(weight: 7)
      let report = try fleet.comeBack()
      #expect(report.former == own)
      #expect(fleet.absent.store.peer != own)
      let record = try fleet.absent.store.service { try HorizonRecord($0) }
      #expect(record.state == HorizonState(obeyed: declaration, promises: [], dropped: []))
      #expect(record.settled == declaration)
      try fleet.expect(Self.rows, ["a|second"])
    }
  }

  @Test func `it writes later than all that it ever wrote`() throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(in: path, Self.table, setup: "INSERT INTO t VALUES ('a', '1')")
      let clock = AdjustableClock(milliseconds: 4_000_000_000_000)
      var environment = StoreEnvironment()
      environment.clock = clock
      let absent = try SyncSession(store: fleet.devices.path("absent"), environment: environment)
      try absent.store.write { try $0.execute("INSERT INTO t VALUES ('b', 'ahead')") }
      let before = try absent.store.service { try Outbox($0).last()?.time }
      absent.store.close()
      try fleet.a.execute("UPDATE t SET v = '2'")
      try fleet.declare()
      try fleet.comeBack()
      try fleet.absent.execute("INSERT INTO t VALUES ('c', 'after')")
      let after = try fleet.absent.store.service { try Outbox($0).last()?.time }
      #expect(try #require(after) > #require(before))
      try fleet.expectEqual()
      try fleet.expect(Self.rows, ["a|2", "b|ahead", "c|after"])
    }
  }

  @Test(arguments: [true, false])
  func `it comes back as often as others leave it out`(keepsLogs: Bool) throws {
    try withFleet { fleet in
      for round in 1...3 {
        try fleet.absent.execute("INSERT INTO t VALUES ('absent \(round)', 'new')")
        try fleet.absent.execute("UPDATE t SET v = 'changed \(round)' WHERE code LIKE 'absent%'")
        try fleet.a.execute("INSERT INTO t VALUES ('others \(round)', 'new')")
        try fleet.declare(weight: UInt64(round) * 2)
        if !keepsLogs { try fleet.removeLogs() }
        let report = try fleet.comeBack()
        #expect(report.fenced == 2)
      }
      let shown = try fleet.absent.rows("SELECT code FROM t ORDER BY 1")
      #expect(shown.count == 7)
      try fleet.expect("SELECT code FROM t ORDER BY 1", shown)
      if keepsLogs {
        try fleet.expect(
          "SELECT DISTINCT v FROM t WHERE code LIKE 'absent%'", ["changed 3"])
        try fleet.expect(conflicts: [])
      }
    }
  }

  @Test func `what it had from a device that nobody else has heard of comes back with it`() throws {
    try withFleet { fleet in
      let third = try fleet.devices.open("third", Self.table)
      try third.exchange()
      try third.execute("INSERT INTO t VALUES ('third', 'of the third')")
      try third.execute("UPDATE t SET v = 'changed' WHERE code = 'a'")
      _ = try third.publish()
      try fleet.absent.exchange()
      try fleet.absent.execute("UPDATE t SET v = 'of both' WHERE code = 'third'")
      let directory = try fleet.directory.peer(third.store.peer)
      try FileManager.default.moveItem(
        atPath: directory, toPath: fleet.devices.directory + "/third")
      try fleet.withoutAbsent {
        try fleet.a.execute("INSERT INTO t VALUES ('c', 'of a')")
        try fleet.declare()
      }
      try FileManager.default.moveItem(
        atPath: fleet.devices.directory + "/third", toPath: directory)
      let report = try fleet.absent.comeBack()
      #expect(report.returned?.fenced == 1)
      #expect(report.returned?.fencedOfOthers == 2)
      for session in [fleet.absent, fleet.a, fleet.b, fleet.absent] {
        _ = try session.synchronize()
      }
      try fleet.expect(Self.rows, ["a|changed", "c|of a", "third|of both"])
      try fleet.expect(conflicts: [])
      // Then the third device comes back, too. Its rows are there.
      _ = try third.comeBack()
      try fleet.expectEqual()
      _ = try third.synchronize()
      #expect(try third.rows(Self.rows) == ["a|changed", "c|of a", "third|of both"])
      #expect(try third.conflicts().count == fleet.a.conflicts().count)
    }
  }

  /// The device shows what the lost one wrote, and nobody has the log any more.
  @Test(arguments: [true, false])
  func `what it had from a device that is lost with its log comes back with it`(
    keepsLogs: Bool
  ) throws {
    let setup = """
      INSERT INTO t VALUES ('a', 'first'), ('d', 'first'), ('e', 'first'), ('gone', 'first'), ('left', 'first')
      """
    try withFleet(setup: setup) { fleet in
      let third = try fleet.devices.open("third", Self.table)
      try third.exchange()
      try third.execute("INSERT INTO t VALUES ('third', 'of the third')")
      try third.execute("UPDATE t SET v = 'changed' WHERE code IN ('a', 'e')")
      try third.execute("DELETE FROM t WHERE code = 'gone'")
      _ = try third.publish()
      try fleet.absent.exchange()
      try fleet.absent.execute("UPDATE t SET v = 'of both' WHERE code = 'third'")
      let directory = try fleet.directory.peer(third.store.peer)
      let aside = fleet.devices.directory + "/third"
      try FileManager.default.moveItem(atPath: directory, toPath: aside)
      try fleet.withoutAbsent {
        try fleet.a.execute("INSERT INTO t VALUES ('c', 'of a')")
        try fleet.a.execute("UPDATE t SET v = 'of a' WHERE code IN ('d', 'e')")
        try fleet.b.execute("DELETE FROM t WHERE code = 'left'")
        try fleet.declare()
      }
      if !keepsLogs { try fleet.removeLogs() }
      let before = try fleet.absent.rows(Self.rows)
      let error = #expect(throws: SyncError.self) { try fleet.absent.comeBack() }
      #expect(error?.code == .logsMissing)
      #expect(try fleet.absent.rows(Self.rows) == before)
      #expect(try fleet.absent.comeBack(reseeds: true).returned != nil)
      try fleet.expectEqual()
      if keepsLogs {
        // What it shows differs from what it had seen: so the lost log has done that.
        try fleet.expect(Self.rows, ["a|changed", "c|of a", "d|of a", "e|of a", "third|of both"])
        try fleet.expect(conflicts: ["update t v=changed"])
      } else {
        // Nobody knows what it had seen. What others show stays, and nothing is lost.
        try fleet.expect(
          Self.rows, ["a|first", "c|of a", "d|of a", "e|of a", "gone|first"])
        try fleet.expect(conflicts: [
          "delete t code=left v=first", "delete t code=third v=of both", "update t v=changed",
          "update t v=changed", "update t v=first",
        ])
      }
      // The lost device turns up after all.
      let rows = try fleet.a.rows(Self.rows)
      try FileManager.default.moveItem(atPath: aside, toPath: directory)
      _ = try third.comeBack()
      try fleet.expectEqual()
      _ = try third.synchronize()
      #expect(try third.rows(Self.rows) == fleet.a.rows(Self.rows))
      if keepsLogs { #expect(try fleet.a.rows(Self.rows) == rows) }
    }
  }

  @Test func `tables that are not replicated stay`() throws {
    try withFleet { fleet in
      try fleet.absent.store.write {
        try $0.execute("CREATE VIRTUAL TABLE words USING fts5 (v)")
      }
      try fleet.absent.store.write {
        try $0.execute(
          """
          CREATE TRIGGER t_insert AFTER INSERT ON t BEGIN
            INSERT INTO words (rowid, v) VALUES (new.rowid, new.v); END
          """)
        try $0.execute(
          """
          CREATE TRIGGER t_delete AFTER DELETE ON t BEGIN
            DELETE FROM words WHERE rowid = old.rowid; END
          """)
        try $0.execute(
          """
          CREATE TRIGGER t_update AFTER UPDATE ON t BEGIN
            DELETE FROM words WHERE rowid = old.rowid;
            INSERT INTO words (rowid, v) VALUES (new.rowid, new.v); END
          """)
        try $0.execute("INSERT INTO words (rowid, v) SELECT rowid, v FROM t")
      }
      try fleet.absent.execute("INSERT INTO t VALUES ('b', 'mine')")
      try fleet.a.execute("UPDATE t SET v = 'theirs'")
      try fleet.declare()
      try fleet.comeBack(verifies: false)
      #expect(
        try fleet.absent.rows("SELECT v FROM words ORDER BY 1") == ["mine", "theirs"])
    }
  }

  @Test func `other programs and windows see the rows at once, and are told`() throws {
    try withFleet { fleet in
      let other = try SyncSession(store: fleet.devices.path("absent"))
      try other.exchange()
      try fleet.absent.execute("INSERT INTO t VALUES ('b', 'mine')")
      try fleet.a.execute("UPDATE t SET v = 'theirs'")
      try fleet.declare()
      try fleet.comeBack()
      #expect(try other.rows(Self.rows) == ["a|theirs", "b|mine"])
      var hasChangedEverything = false
      _ = try other.synchronize {
        hasChangedEverything = hasChangedEverything || $0.mayHaveChangedEverything
      }
      #expect(hasChangedEverything)
      try other.execute("INSERT INTO t VALUES ('c', 'of the other window')")
      try other.exchange()
      try fleet.expectEqual()
    }
  }

  @Test func `a version from before is refused`() throws {
    try withFleet { fleet in
      try fleet.absent.execute("INSERT INTO t VALUES ('b', 'mine')")
      let version = try fleet.absent.store.read { try $0.version }
      try fleet.a.execute("UPDATE t SET v = 'theirs'")
      try fleet.declare()
      try fleet.comeBack()
      let error = #expect(throws: StoreError.self) {
        try fleet.absent.store.write(basedOn: version) { try $0.execute("DELETE FROM t") }
      }
      #expect(error?.code == .version)
    }
  }

  @Test func `what other programs have written comes with it`() throws {
    try withFleet { fleet in
      let program = try Connection(path: fleet.devices.path("absent"), mode: .readWrite)
      try program.execute("INSERT INTO t VALUES ('b', 'of a program')")
      program.close()
      try fleet.a.execute("UPDATE t SET v = 'theirs'")
      try fleet.declare()
      let report = try fleet.comeBack()
      #expect(report.fenced == 1)
      try fleet.expect(Self.rows, ["a|theirs", "b|of a program"])
    }
  }

  /// Removes the first records and segments of the absent device, as rules 18 and 19 do.
  private func forget(upTo last: Int, _ fleet: ReturnFleet) throws {
    try fleet.absent.exchange()
    try fleet.absent.store.exchange {
      try $0.execute(
        """
        DELETE FROM tributary_outbox WHERE sequence <= \(last);
        DELETE FROM tributary_segment WHERE last <= \(last);
        INSERT INTO tributary_store VALUES ('removed', \(last))
        """)
    }
    let log = try fleet.directory.log(of: fleet.absent.store.peer)
    for name in try FileManager.default.contentsOfDirectory(atPath: log).sorted().prefix(last) {
      try FileManager.default.removeItem(atPath: log + "/" + name)
    }
  }

  /// - Parameter hasLogs: whether what it has forgotten is still in its log, which says that a row was inserted.
  @Test(arguments: [true, false])
  func `the lighter of two sides brings what it has forgotten into conflicts`(hasLogs: Bool) throws
  {
    try withFleet(setup: "INSERT INTO t VALUES ('a', 'first'), ('b', 'first'), ('c', 'first')") {
      fleet in
      try fleet.absent.execute("INSERT INTO t VALUES ('d', 'forgotten')")
      try fleet.absent.execute("UPDATE t SET v = 'forgotten' WHERE code <= 'b'")
      try fleet.withoutOthers {
        let declaration = try fleet.declare(weight: 1, members: [fleet.absent])
        try fleet.absent.store.exchange {
          try HorizonRecord(
            state: HorizonState(obeyed: declaration, promises: [], dropped: []),
            settled: declaration
          ).write(to: $0)
        }
        try fleet.absent.execute("INSERT INTO t VALUES ('e', 'since')")
        if !hasLogs { try forget(upTo: 2, fleet) }
      }
      try fleet.a.execute("DELETE FROM t WHERE code = 'b'")
      try fleet.a.execute("INSERT INTO t VALUES ('f', 'of a')")
      try fleet.withoutAbsent { try fleet.declare(weight: 5) }
      let report = try fleet.comeBack()
      #expect(report.fenced == 3)
      try fleet.expect(
        Self.rows,
        ["a|first", "c|first"] + (hasLogs ? ["d|forgotten"] : []) + ["e|since", "f|of a"])
      try fleet.expect(
        conflicts: ["delete t code=b v=forgotten"]
          + (hasLogs ? [] : ["delete t code=d v=forgotten"]) + ["update t v=forgotten"])
    }
  }
}
