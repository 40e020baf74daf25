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

  @Test(arguments: KeyRemedy.allCases)
  func `what names such rows waits by name, everything else goes on, and the remedy ends it`(
    remedy: KeyRemedy
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
      try remedy.follow(
        on: devices, a, &b, c, table: "nn", of: Self.script, as: Self.numbers)
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

  /// Tables of one name: what makes that of the content, what makes that of a database that is to be attached, and how the
  /// refusal names both keys. The column x is the value.
  struct Pair: CustomStringConvertible, Sendable {
    var there: String
    var here: String
    var sides: String
    var description: String { "\(there) / \(here)" }
  }

  private static let pairs = [
    Pair(
      there: "(a TEXT, b INTEGER, x, PRIMARY KEY (a, b))",
      here: "(a TEXT PRIMARY KEY, b INTEGER, x)",
      sides: "PRIMARY KEY (a) here, and PRIMARY KEY (a, b) there"),
    Pair(
      there: "(a TEXT, b TEXT, x, PRIMARY KEY (a, b))",
      here: "(a TEXT, b TEXT, x, PRIMARY KEY (b, a))",
      sides: "PRIMARY KEY (b, a) here, and PRIMARY KEY (a, b) there"),
    Pair(
      there: "(a TEXT PRIMARY KEY, b, x)", here: "(a TEXT, b TEXT PRIMARY KEY, x)",
      sides: "PRIMARY KEY (b) here, and PRIMARY KEY (a) there"),
    Pair(
      there: "(a TEXT PRIMARY KEY COLLATE NOCASE, b, x)", here: "(a TEXT PRIMARY KEY, b, x)",
      sides: "PRIMARY KEY (a) here, and PRIMARY KEY (a COLLATE NOCASE) there"),
    Pair(
      there: "(a TEXT NOT NULL COLLATE RTRIM, b, x, UNIQUE (a))",
      here: "(a TEXT NOT NULL UNIQUE, b, x)",
      sides: "UNIQUE (a) here, and UNIQUE (a COLLATE RTRIM) there"),
    Pair(
      there: "(a TEXT, b, x)", here: "(a TEXT PRIMARY KEY, b, x)",
      sides: "PRIMARY KEY (a) here, and rows known by themselves there"),
    Pair(
      there: "(a TEXT PRIMARY KEY, b, x)", here: "(a TEXT, b, x)",
      sides: "rows known by themselves here, and PRIMARY KEY (a) there"),
    Pair(
      there: "(a BLOB PRIMARY KEY, b, x)", here: "(a TEXT PRIMARY KEY, b, x)",
      sides: "column a is TEXT here, and BLOB or of no type there"),
    Pair(
      there: "(a INT PRIMARY KEY, b, x)", here: "(a PRIMARY KEY, b, x)",
      sides: "column a is BLOB or of no type here, and INTEGER there"),
    Pair(
      there: "(a REAL PRIMARY KEY, b, x)", here: "(a INT PRIMARY KEY, b, x)",
      sides: "column a is INTEGER here, and REAL there"),
    // Both would insert 5: one keeps two rows, the other one.
    Pair(
      there: "(a INT PRIMARY KEY, b, x)", here: "(a INTEGER PRIMARY KEY, b, x)",
      sides:
        "INTEGER PRIMARY KEY here, by which SQLite numbers rows, and a key of another declaration there"
    ),
    Pair(
      there: "(a INTEGER PRIMARY KEY, b, x)", here: "(a INTEGER PRIMARY KEY, b, x) WITHOUT ROWID",
      sides:
        "a key of another declaration here, and INTEGER PRIMARY KEY there, by which SQLite numbers rows"
    ),
  ]

  /// How the refusal can be done away with.
  enum Change: CaseIterable { case sameKey, otherName, leftOut }

  @Test(arguments: pairs, Change.allCases)
  func
    `a database with another key is refused before anything is written, and what the refusal says helps`(
      pair: Pair, change: Change
    ) throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let others = "CREATE TABLE o (k TEXT PRIMARY KEY);"
      func make(_ name: String, _ sql: String) throws {
        let connection = try Connection(path: devices.path(name), mode: .create)
        defer { connection.close() }
        try connection.execute(sql)
      }
      try make(
        "a", "\(others) CREATE TABLE t \(pair.there); INSERT INTO t VALUES ('1', 1, 'there')")
      let a = try devices.openFollowing("a")
      try a.exchange()
      try make(
        "b",
        "\(others) CREATE TABLE t \(pair.here); INSERT INTO t VALUES ('2', 2, 'here'); INSERT INTO o VALUES ('b')"
      )
      let file = try Data(contentsOf: URL(filePath: devices.path("b")))
      let present = try devices.present()
      let request = AttachRequest(
        store: devices.path("b"), container: devices.container, contentName: "C")
      let refusals = try Engine.rehearse(request).refusals
      #expect(refusals.map(\.table) == ["t"])
      #expect(refusals.allSatisfy { $0.message.hasSuffix(": \(pair.sides)") }, "\(refusals)")
      #expect(refusals.allSatisfy { $0.message.contains("than on peer \(a.store.peer)") })
      #expect(refusals.map(\.options) == [[.except("t")]])
      #expect {
        try devices.attach("b")
      } throws: {
        "\($0)".contains(pair.sides)
      }
      #expect(try Data(contentsOf: URL(filePath: devices.path("b"))) == file)
      #expect(try devices.present() == present)
      var shown = ["there"]
      switch change {
      case .sameKey:
        try make(
          "b",
          """
          CREATE TABLE new \(pair.there); INSERT INTO new SELECT a, b, x FROM t; DROP TABLE t;
          ALTER TABLE new RENAME TO t
          """)
        shown = ["here", "there"]
      case .otherName: try make("b", "ALTER TABLE t RENAME TO mine")
      case .leftOut: break
      }
      let b = try devices.openFollowing(
        "b", tables: change == .leftOut ? .except(["t"]) : nil)
      try exchange(a, b)
      for session in change == .leftOut ? [a] : [a, b] {
        #expect(try session.rows("SELECT x FROM t ORDER BY x") == shown)
      }
      for session in [a, b] {
        #expect(try session.rows("SELECT k FROM o") == ["b"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(arguments: [true, false])
  func `a table that was made with another key on each device waits, and the remedy ends it`(
    follows: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      func open(_ name: String, _ script: String? = nil) throws -> SyncSession {
        try follows ? devices.openFollowing(name, script) : devices.open(name, script)
      }
      let a = try open("a", Self.script)
      var b = try open("b", Self.script)
      let table = "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b))"
      try a.execute("\(table); INSERT INTO t VALUES ('1', 'a')")
      try b.execute("CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT); INSERT INTO t VALUES ('2', 'b')")
      for _ in 0..<2 { for session in [a, b] { _ = try session.synchronize() } }
      for session in [a, b] {
        let report = try session.synchronize()
        let remedies = report.delays.map(\.remedy) + (try session.status().delays.map(\.remedy))
        #expect(remedies.count == 2)
        #expect(
          remedies.allSatisfy {
            $0.hasPrefix(
              "the table needs one key on all devices: on the one that is wrong, call `store.detach(removingLogs: true)`"
            )
          }, "\(remedies)")
      }
      b.store.close()
      let report = try Engine.detach(store: devices.path("b"), removeLogs: true)
      #expect(report.importers.isEmpty)
      let connection = try Connection(path: devices.path("b"), mode: .readWrite)
      try connection.execute(
        "ALTER TABLE t RENAME TO old; \(table); INSERT INTO t SELECT * FROM old; DROP TABLE old")
      connection.close()
      b = try open("b")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT a, b FROM t ORDER BY a") == ["1|a", "2|b"])
    }
  }

  @Test func `a store that migrations would make with another key is refused`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b))")
      try a.exchange()
      #expect {
        try devices.attach("b", "CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT)")
      } throws: {
        "\($0)".contains("PRIMARY KEY (a) here, and PRIMARY KEY (a, b) there")
      }
      #expect(!FileManager.default.fileExists(atPath: devices.path("b")))
    }
  }

  @Test(arguments: [
    ("a INTEGER PRIMARY KEY", "a INTEGER NOT NULL PRIMARY KEY"),
    ("a BIGINT PRIMARY KEY", "a INT PRIMARY KEY"),
    ("a VARCHAR (9) PRIMARY KEY", "a TEXT PRIMARY KEY"),
    ("a NUMERIC PRIMARY KEY", "a INT NOT NULL PRIMARY KEY"),
  ])
  func `a key that is declared otherwise and has the same values joins`(
    there: String, here: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for (name, key, row) in [("a", there, 1), ("b", here, 2)] {
        let connection = try Connection(path: devices.path(name), mode: .create)
        try connection.execute(
          "CREATE TABLE t (\(key), x); INSERT INTO t VALUES ('\(row)', '\(name)')")
        connection.close()
        try devices.attach(name)
        try SyncSession(store: devices.path(name)).exchange()
      }
      let a = try SyncSession(store: devices.path("a"))
      let b = try SyncSession(store: devices.path("b"))
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT a, x FROM t ORDER BY a") == ["1|a", "2|b"])
    }
  }
}
