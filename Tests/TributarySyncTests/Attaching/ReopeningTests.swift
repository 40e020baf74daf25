import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that are attached again.
struct ReopeningTests {
  private static let tables = """
    CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
    CREATE TABLE cache (id TEXT PRIMARY KEY, text TEXT);
    """

  private func reopen(
    _ devices: SyncDevices, _ name: String, _ change: (inout AttachRequest) throws -> Void
  ) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    try change(&request)
    return try Engine.attach(request)
  }

  @Test func `a container that was moved is found again, with the same identity`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      let peer = a.store.peer
      try a.execute("INSERT INTO note VALUES ('a', 'before')")
      try a.exchange()
      let place = directory + "/elsewhere"
      try FileManager.default.moveItem(atPath: devices.container, toPath: place)
      try a.execute("INSERT INTO note VALUES ('b', 'meanwhile')")
      let report = try reopen(devices, "a") { $0.container = place }
      #expect(report.outcome == .moved)
      #expect(report.identity.peer == peer && report.identity.container == place)
      try a.exchange()
      var request = AttachRequest(
        store: devices.path("b"), container: place, contentName: "C")
      request.peerName = "B"
      #expect(try Engine.attach(request).outcome == .rebuilt(transactions: 2))
      #expect(try reopen(devices, "a") { $0.container = place }.outcome == .alreadyAttached)
    }
  }

  @Test func `another container, without the store's directory, is refused`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.tables)
      let other = directory + "/other"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      for change in [
        { (request: inout AttachRequest) in request.container = other },
        { $0.contentName = "D" }, { $0.contentRoot = "elsewhere" },
      ] {
        let error = #expect(throws: SyncError.self) { try reopen(devices, "a", change) }
        #expect(error?.code == .differentlyAttached)
      }
      #expect(try devices.attach("a").outcome == .alreadyAttached)
      #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    }
  }

  @Test func `a container that is spelled otherwise is the same`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.tables)
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link", withDestinationPath: devices.container)
      for spelling in [directory + "/./shared/", directory + "/link"] {
        let report = try reopen(devices, "a") { $0.container = spelling }
        #expect(report.outcome == .alreadyAttached)
      }
    }
  }

  @Test func `a content root that was given when it was attached need not be given again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let first = try reopen(devices, "a") {
        $0.contentRoot = "deep/root"
        $0.migrations = [Migration(name: "1", sql: Self.tables)]
      }
      #expect(first.outcome == .created)
      #expect(try reopen(devices, "a") { _ in }.outcome == .alreadyAttached)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: devices.container) == ["deep"])
    }
  }

  @Test func `the name of the device is taken over`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.tables)
      let report = try reopen(devices, "a") { $0.peerName = "Desk" }
      #expect(report.identity.peerName == "Desk")
      let file = "\(devices.container)/tributary/C/peers/\(report.identity.peer)/peer.json"
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\"Desk\""))
    }
  }

  @Test func `other tables are taken over as long as nothing was written, and refused then`() throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      _ = try reopen(devices, "a") { $0.tables = .except(["cache"]) }
      try a.execute(
        "INSERT INTO cache VALUES ('a', 'stays'); INSERT INTO note VALUES ('a', 'goes')")
      try a.exchange()
      let b = try devices.open("b")
      #expect(try b.rows("SELECT text FROM note") == ["goes"])
      #expect(try b.rows("SELECT text FROM cache") == [])
      // Spelled otherwise it is the same.
      _ = try reopen(devices, "a") { $0.tables = .only(["NOTE"]) }
      for tables: TableSelection in [.all, .except(["note"]), .only(["note", "cache"])] {
        let error = #expect(throws: StoreError.self) {
          try reopen(devices, "a") { $0.tables = tables }
        }
        #expect(error?.code == .differentlyAttached)
      }
      #expect(throws: StoreError.self) {
        try reopen(devices, "a") { $0.tables = .except(["cache", "nowhere"]) }
      }
    }
  }

  @Test func `a choice of tables that are still to come is told`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a")
      let report = try reopen(devices, "a") { $0.tables = .except(["cache"]) }
      #expect(report.applied == ["the choice of tables: all except cache, all before"])
      let again = try reopen(devices, "a") { $0.tables = .except(["cache"]) }
      #expect(again.applied.isEmpty)
    }
  }

  @Test func `tables are there as soon as a store is attached, before any rows have come`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["note": TableMerge(merge: .row)])
      let a = try devices.open("a", Self.tables, tables: .except(["cache"]), merge: merge)
      #expect(try devices.attach("b").outcome == .created)
      let b = try SyncSession(store: devices.path("b"))
      try b.execute("INSERT INTO note VALUES ('b', 'at once'); INSERT INTO cache VALUES ('b', 'x')")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT text FROM note") == ["at once"])
      #expect(try a.rows("SELECT text FROM cache") == [])
      #expect(try b.store.mergeOptions()["note"].merge == .row)
    }
  }
}
