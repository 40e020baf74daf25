import Foundation
import Testing
import TributaryCore
import TributaryReplay
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables of one name whose keys are numbers on one device and texts on another.
struct KeyTypeTests {
  private static let script = "CREATE TABLE o (k TEXT PRIMARY KEY, v)"
  private static let numbers = "CREATE TABLE nn (id INTEGER PRIMARY KEY, x);"
  private static let texts = "CREATE TABLE nn (id TEXT PRIMARY KEY, x);"

  private func reasons(_ waiting: [Waiting]) -> [String] {
    waiting.compactMap {
      if case .constraint(let refusal) = $0.reason { "\(refusal)" } else { nil }
    }
  }

  /// What the remedy says.
  enum Remedy: CaseIterable {
    /// The device attaches again, with the key of the others.
    case attaching
    /// All devices give the table up.
    case dropping
  }

  @Test(arguments: Remedy.allCases)
  func `what names such rows waits by name, everything else goes on, and the remedy ends it`(
    remedy: Remedy
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      var b = try devices.open("b", Self.script)
      let c = try devices.open("c", Self.script)
      try a.execute(Self.numbers + "INSERT INTO nn VALUES (1, 2)")
      try b.execute(Self.texts + "INSERT INTO nn VALUES ('t', 1); INSERT INTO o VALUES ('b', 1)")
      try c.execute(Self.numbers + "INSERT INTO nn VALUES (7, 3)")
      for _ in 0..<2 { for session in [a, b, c] { _ = try session.synchronize() } }
      try a.execute("INSERT INTO o VALUES ('a', 2)")
      for _ in 0..<2 { for session in [a, b, c] { _ = try session.synchronize() } }
      for session in [a, c] {
        let reasons = try reasons(session.synchronize().waiting)
        #expect(reasons.count == 1)
        let reason = "column id is INTEGER here and cannot have 't' as it is"
        #expect(reasons.first?.contains(reason) == true)
        #expect(reasons.first?.contains("the table needs one type of key") == true)
        #expect(try self.reasons(session.status().waiting) == reasons)
        let found = try Engine.diagnose(store: session.store.path).map { "\($0)" }
        #expect(found.contains { $0.contains(reason) }, "\(found)")
        #expect(try session.rows("SELECT id, x FROM nn ORDER BY id") == ["1|2", "7|3"])
        #expect(try session.rows("SELECT k, v FROM o ORDER BY k") == ["a|2"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
      let waiting = try reasons(b.synchronize().waiting)
      #expect(waiting.count == 2)
      #expect(waiting.allSatisfy { $0.contains("column id is TEXT here and cannot have") })
      #expect(try b.rows("SELECT id, x FROM nn") == ["t|1"])
      switch remedy {
      case .attaching:
        b.store.close()
        _ = try Engine.detach(store: devices.path("b"), removeLogs: true)
        let connection = try Connection(path: devices.path("b"), mode: .readWrite)
        try connection.execute("DROP TABLE nn; \(Self.numbers)")
        connection.close()
        b = try devices.open("b")
      case .dropping:
        for session in [a, b, c] {
          try session.store.migrate([
            Migration(name: "1", sql: Self.script),
            Migration(name: "2", sql: "-- tributary: drop nn\nDROP TABLE nn"),
          ])
        }
      }
      try expectEqualAfterExchange(a, b, c)
      #expect(try c.rows("SELECT k, v FROM o ORDER BY k") == ["a|2", "b|1"])
      if remedy == .attaching {
        #expect(try b.rows("SELECT id, x FROM nn ORDER BY id") == ["1|2", "7|3"])
      }
      for session in [a, b, c] {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(arguments: [true, false])
  func `a database whose key no other device has like that is not attached`(
    hasLogs: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script + ";" + Self.numbers)
      if hasLogs {
        try a.execute("INSERT INTO nn VALUES (1, 2)")
        try a.exchange()
      }
      let connection = try Connection(path: devices.path("b"), mode: .create)
      try connection.execute(
        "\(Self.script); \(Self.texts) INSERT INTO nn VALUES ('t', 1); INSERT INTO o VALUES ('b', 1)"
      )
      connection.close()
      let file = try Data(contentsOf: URL(filePath: devices.path("b")))
      let present = try devices.present()
      #expect {
        try devices.attach("b")
      } throws: {
        "\($0)".contains("column id is TEXT here, and INTEGER there")
      }
      #expect(try Data(contentsOf: URL(filePath: devices.path("b"))) == file)
      #expect(try devices.present() == present)
      let request = AttachRequest(
        store: devices.path("b"), container: devices.container, contentName: "C")
      let refusals = try Engine.rehearse(request).refusals
      #expect(refusals.map(\.table) == ["nn"] && refusals.map(\.options) == [[.except("nn")]])
      let b = try devices.open("b", tables: .except(["nn"]))
      try exchange(a, b)
      #expect(try a.rows("SELECT k FROM o") == ["b"])
      // It has what one of them has.
      try Connection(path: devices.path("c"), mode: .create).execute(Self.numbers)
      let c = try devices.open("c", tables: .only(["nn"]))
      try c.execute("INSERT INTO nn VALUES (9, 9)")
      try exchange(a, c)
      let rows = "SELECT id, x FROM nn ORDER BY id"
      #expect(try a.rows(rows) == c.rows(rows))
    }
  }
}
