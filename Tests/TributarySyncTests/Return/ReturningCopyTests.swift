import Foundation
import Testing
import TributaryCore
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Several stores that come back: copies of one, one that finds at the same time that it is a copy, and two that know
/// each other's writes.
struct ReturningCopyTests {
  private static let album =
    "CREATE TABLE album (code TEXT PRIMARY KEY, title TEXT, year INTEGER) WITHOUT ROWID"
  private static let all = "SELECT * FROM album ORDER BY code"

  /// Has the others agree to forget what the absent device does not know, and opens a copy of its store.
  private func withCopy(
    _ body: (ReturnFleet, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(in: path, Self.album)
      try fleet.absent.execute("INSERT INTO album VALUES ('blue', 'Blue', 1971)")
      try fleet.absent.exchange()
      try fleet.absent.store.service { try $0.execute("VACUUM INTO '\(path)/copy.db'") }
      var environment = StoreEnvironment()
      environment.horizons = .off
      let copy = try SyncSession(store: "\(path)/copy.db", environment: environment)
      try fleet.withoutAbsent {
        try fleet.a.execute("INSERT INTO album VALUES ('court', 'Court and Spark', 1974)")
        try fleet.declare()
      }
      try body(fleet, copy)
    }
  }

  @Test func `what each of two copies has written is there after both have come back`() throws {
    try withCopy { (fleet, copy) throws in
      try fleet.absent.execute("INSERT INTO album VALUES ('hejira', 'Hejira', 1976)")
      try copy.execute("INSERT INTO album VALUES ('mingus', 'Mingus', 1979)")
      for session in [fleet.absent, copy] { #expect(try session.comeBack().returned != nil) }
      try expectEqualAfterExchange(fleet.a, fleet.b, fleet.absent, copy)
      try fleet.expect(
        Self.all,
        [
          "blue|Blue|1971", "court|Court and Spark|1974", "hejira|Hejira|1976",
          "mingus|Mingus|1979",
        ])
      try fleet.expect(conflicts: [])
    }
  }

  /// - Parameter isRetired: whether another device retires the original, and issues again what it wrote.
  @Test(arguments: [false, true])
  func `a store that finds that it is a copy issues again what it wrote before that`(
    isRetired: Bool
  ) throws {
    try withCopy { (fleet, copy) throws in
      // The original is lost: nobody else has what it wrote.
      if isRetired { _ = try fleet.a.retire("\(fleet.absent.store.peer)") }
      let report = try copy.comeBack()
      #expect(report.renewal?.former == fleet.absent.store.peer)
      #expect(report.returned?.fencedOfOthers == (isRetired ? 0 : 1))
      // Without that, they wait for the original, too.
      for session in [copy, fleet.a, fleet.b] { #expect(try session.synchronize().failure == nil) }
      if isRetired { try expectEqualAfterExchange(fleet.a, fleet.b, copy) }
      for session in [fleet.a, fleet.b, copy] {
        #expect(try session.rows(Self.all) == ["blue|Blue|1971", "court|Court and Spark|1974"])
      }
    }
  }

  @Test func `what another device has issued again need not be in its logs any more`() throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(in: path, Self.album)
      let other = try fleet.devices.open("other", Self.album, horizons: .off)
      try other.execute("INSERT INTO album VALUES ('hejira', 'Hejira', 1976)")
      try other.exchange()
      try fleet.absent.exchange()
      try fleet.absent.execute("INSERT INTO album VALUES ('mingus', 'Mingus', 1979)")
      try fleet.absent.exchange()
      let left = try fleet.directory.peer(other.store.peer)
      try FileManager.default.moveItem(atPath: left, toPath: path + "/left")
      try fleet.withoutAbsent {
        try fleet.a.execute("INSERT INTO album VALUES ('court', 'Court and Spark', 1974)")
        try fleet.declare()
      }
      try FileManager.default.moveItem(atPath: path + "/left", toPath: left)
      #expect(try other.comeBack().returned != nil)
      try FileManager.default.removeItem(atPath: left + "/log")
      try fleet.comeBack(verifies: false)
      try expectEqualAfterExchange(fleet.a, fleet.b, fleet.absent, other)
      try fleet.expect(
        Self.all,
        ["court|Court and Spark|1974", "hejira|Hejira|1976", "mingus|Mingus|1979"])
      try fleet.expect(conflicts: [])
    }
  }
}
