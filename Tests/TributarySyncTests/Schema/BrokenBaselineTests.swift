import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Baselines of devices whose schemas allow other rows than that of the device which reads them.
struct BrokenBaselineTests {
  private static let older = BrokenConstraintTests.older
  private static let stricter = BrokenConstraintTests.stricter
  private static let setup = """
    INSERT INTO t VALUES (1, 'one', 'x'), (2, 'two', 'y');
    INSERT INTO part VALUES (1, 1)
    """

  /// Of two devices, `a` has migrated, and `b` has then written what only its own schema allows.
  private func fleetOfTwoVersions(in directory: String) throws -> ReturnFleet {
    let fleet = try ReturnFleet(in: directory, Self.older.sql, setup: Self.setup)
    try fleet.a.store.migrate([Self.older, Self.stricter])
    try fleet.a.exchange()
    try fleet.b.execute("UPDATE t SET v = NULL WHERE id = 1")
    return fleet
  }

  @Test func `a device that mended its rows after a baseline is built from that baseline`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try ReturnFleet(
        in: directory, Self.older.sql,
        setup: Self.setup.replacing("'one'", with: "NULL"))
      try fleet.declare()
      try fleet.removeLogs(of: [fleet.a, fleet.b, fleet.absent])
      try fleet.a.execute("UPDATE t SET v = 'one' WHERE v IS NULL")
      try fleet.a.store.migrate([Self.older, Self.stricter])
      try fleet.a.exchange()
      let digest = try fleet.a.store.digest().total
      fleet.a.store.close()
      _ = try Engine.rebuild(store: fleet.devices.path("a"))
      let again = try SyncSession(store: fleet.devices.path("a"))
      #expect(try again.store.digest().total == digest)
      #expect(try again.conflicts() == [])
    }
  }

  @Test func `rows of a baseline that a new constraint does not allow are held`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try fleetOfTwoVersions(in: directory)
      let (newer, older) = (fleet.a, fleet.b)
      // The device of the older schema writes the baseline.
      try fleet.declare(members: [older, newer])
      try fleet.removeLogs(of: [newer, older, fleet.absent])
      #expect(try newer.rows("SELECT id FROM t") == ["2"])
      let (digest, conflicts) = (try newer.store.digest().total, try newer.conflicts())
      #expect(Set(conflicts.map(\.kind)) == [.foreignKey, .notNull])
      newer.store.close()
      _ = try Engine.rebuild(store: fleet.devices.path("a"))
      let again = try SyncSession(store: fleet.devices.path("a"))
      #expect(try again.store.digest().total == digest)
      _ = try again.synchronize()
      #expect(try again.conflicts().map(\.id).sorted() == conflicts.map(\.id).sorted())
      try older.execute("UPDATE t SET v = 'once more' WHERE id = 1")
      try expectEqualAfterExchange(older, again)
      #expect(try again.conflicts() == [])
      #expect(try again.rows("SELECT * FROM part") == ["1|1"])
    }
  }

  @Test func `a device of the older schema shows what the writer of a baseline holds`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try fleetOfTwoVersions(in: directory)
      let (newer, older) = (fleet.a, fleet.b)
      try fleet.declare()
      try fleet.removeLogs(of: [newer, older, fleet.absent])
      let digest = try older.store.digest().total
      #expect(try older.rows("SELECT count(*) FROM t") == ["2"])
      older.store.close()
      _ = try Engine.rebuild(store: fleet.devices.path("b"))
      let again = try SyncSession(store: fleet.devices.path("b"))
      #expect(try again.store.digest().total == digest)
      #expect(try again.conflicts() == [])
    }
  }
}
