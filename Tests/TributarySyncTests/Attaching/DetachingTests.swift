import Foundation
import Testing
import TributaryContainer
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

struct DetachingTests {
  private static let tables = "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT)"

  /// Attaches a store and has it write, all of it published but the last.
  private func write(_ devices: SyncDevices, _ name: String) throws {
    let store = try devices.open(name, Self.tables)
    try store.execute("INSERT INTO note VALUES ('a', 'first'), ('b', 'gone')")
    try store.exchange()
    try store.execute("UPDATE note SET text = 'edited' WHERE id = 'a'")
    try store.execute("DELETE FROM note WHERE id = 'b'")
  }

  @Test func `what was not published before is published, and not gone afterwards`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try write(devices, "a")
      try Engine.detach(store: devices.path("a"), removeLogs: false)
      let again = try devices.open("a")
      #expect(try again.rows("SELECT id, text FROM note") == ["a|edited"])
      #expect(try again.conflicts().isEmpty)
    }
  }

  @Test func `where it cannot be published nothing is detached, unless that is wanted`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try write(devices, "a")
      try FileManager.default.moveItem(
        atPath: devices.container, toPath: devices.container + "-away")
      let error = #expect(throws: SyncError.self) {
        try Engine.detach(store: devices.path("a"), removeLogs: false)
      }
      #expect(error?.code == .unpublished)
      #expect(error?.message.hasPrefix("2 of its transactions are not published") == true)
      #expect(try LocalStore.isAttached(at: devices.path("a")))
      try Engine.detach(store: devices.path("a"), removeLogs: false, leavingUnpublished: true)
      try FileManager.default.moveItem(
        atPath: devices.container + "-away", toPath: devices.container)
      let again = try devices.open("a")
      // Nobody knows what was meant: nothing is less than it was, and what lost is listed.
      #expect(try again.rows("SELECT id, text FROM note ORDER BY id") == ["a|first", "b|gone"])
      #expect(try again.conflicts().map { $0.values.map(\.value) } == [[.string("edited")]])
    }
  }

  @Test
  func
    `who removes its logs is told what others have of them, and what they are told helps at once`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      let b = try devices.open("b")
      let c = try devices.open("c")
      try b.execute("INSERT INTO note VALUES ('b', 'of b')")
      try exchange(a, b)
      try b.execute("INSERT INTO note VALUES ('c', 'of b, too')")
      b.store.close()
      let report = try Engine.detach(store: devices.path("b"), removeLogs: true)
      #expect(report.importers.count == 1 && report.onlyHere == 1)
      let consequence = try #require(report.consequence)
      #expect(consequence.hasPrefix("peer \(a.store.peer) "), "\(consequence)")
      #expect(consequence.contains("; 1 of its transactions is in no other store. "))
      let again = try devices.open("b")
      _ = try again.synchronize()
      let delays = try a.synchronize().delays
      #expect(delays.count == 1)
      #expect(
        delays.allSatisfy { $0.remedy.contains("`tributary sync --reseed` here does it at once") },
        "\(delays)")
      // Nobody need do anything: the device brings it by itself.
      #expect(delays.map(\.needsHelp) == [false])
      _ = try a.synchronize(reseed: true)
      for _ in 0..<2 { for session in [again, a, c] { _ = try session.synchronize() } }
      try expectEqualAfterExchange(again, a, c)
      #expect(try c.rows("SELECT text FROM note ORDER BY id") == ["of b", "of b, too"])
    }
  }

  @Test func `nobody is told anything of logs that nobody has imported`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try write(devices, "a")
      _ = try devices.open("b")
      let kept = try Engine.detach(
        store: devices.path("a"), removeLogs: false, leavingUnpublished: true)
      #expect(kept.consequence == nil)
    }
  }

  @Test func `a store that was detached between two uses says so, whatever the next one is`() throws
  {
    let uses: [(String, (SyncSession) throws -> Void)] = [
      ("synchronize", { _ = try $0.synchronize() }),
      ("identity", { _ = try $0.store.identity() }),
      ("read", { try $0.store.read { _ = try Settings($0.connection).identity() } }),
      ("write", { try $0.execute("INSERT INTO note VALUES ('c', 'late')") }),
      ("exchange", { try $0.store.exchange { _ = try Settings($0).identity() } }),
      ("background", { try $0.store.background { _ = try Settings($0).identity() } }),
    ]
    for (name, use) in uses {
      try withTemporaryDirectory { directory in
        let devices = try SyncDevices(in: directory)
        let session = try devices.open("a", Self.tables)
        try session.execute("INSERT INTO note VALUES ('a', 'first')")
        try session.store.rest()
        try Engine.detach(store: devices.path("a"), removeLogs: false)
        let error = #expect(throws: StoreError.self, "\(name)") { try use(session) }
        #expect(error?.code == .notAttached, "\(name): \(error as Any)")
        session.store.close()
        #expect(try !LocalStore.isAttached(at: devices.path("a")), "\(name)")
      }
    }
  }

  @Test func `a failed removal of the logs leaves a store that can be detached again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try write(devices, "a")
      let peer = try devices.attach("a").identity.peer
      let log = "\(devices.container)/tributary/C/peers/\(peer)/log"
      // Not even an administrator removes a directory that has something in it.
      try FileManager.default.createDirectory(
        atPath: log + "/sub/directory", withIntermediateDirectories: true)
      #expect(throws: (any Error).self) {
        try Engine.detach(store: devices.path("a"), removeLogs: true)
      }
      #expect(try LocalStore.isAttached(at: devices.path("a")))
      try FileManager.default.removeItem(atPath: log + "/sub")
      try Engine.detach(store: devices.path("a"), removeLogs: true)
      #expect(try !LocalStore.isAttached(at: devices.path("a")))
      #expect(!FileManager.default.fileExists(atPath: log))
    }
  }

  @Test func `logs are not said to be removed while the container is away`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try write(devices, "a")
      try FileManager.default.moveItem(
        atPath: devices.container, toPath: devices.container + "-away")
      let error = #expect(throws: ContainerError.self) {
        try Engine.detach(store: devices.path("a"), removeLogs: true)
      }
      #expect(error?.code == .absent)
      #expect(try LocalStore.isAttached(at: devices.path("a")))
    }
  }

  @Test
  func `what is left where a program has dropped the tables that it does not know is removed`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.tables, capture: .triggers)
      let program = try Connection(path: devices.path("a"), mode: .readWrite)
      var tables: [String] = []
      do {
        let names = try program.prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'tributary%'")
        while try names.step() { tables.append(names.string(0)) }
      }
      for table in tables { try program.execute("DROP TABLE \"\(table)\"") }
      let insertion = "INSERT INTO note VALUES ('a', 'text')"
      #expect(throws: SQLiteError.self) { try program.execute(insertion) }
      let error = #expect(throws: (any Error).self) { try devices.attach("a") }
      #expect("\(error as Any)".contains("detach"), "\(error as Any)")
      program.close()
      try Engine.detach(store: devices.path("a"), removeLogs: false)
      let again = try Connection(path: devices.path("a"), mode: .readWrite)
      try again.execute(insertion)
      again.close()
      #expect(throws: StoreError.self) {
        try Engine.detach(store: devices.path("a"), removeLogs: false)
      }
      let (a, b) = (try devices.open("a"), try devices.open("b"))
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM note") == ["a|text"])
    }
  }
}
