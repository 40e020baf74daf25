import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

struct MergeAgreementTests {
  private static let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)"
  private static let counter = MergeOptions(tables: [
    "t": TableMerge(keys: .natural, columns: ["n": .counter])
  ])
  private static let byRow = MergeOptions(tables: ["t": TableMerge(merge: .row)])

  @Test(arguments: [false, true], [Self.script, nil])
  func `a store that says nothing takes over what its peers declare`(
    hasLogs: Bool, script: String?
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script, merge: Self.counter)
      if hasLogs { try a.execute("INSERT INTO t VALUES (1, 1)") }
      try a.exchange()
      let b = try devices.open("b", script)
      // Without a schema and without logs it gets its tables when it synchronises.
      try b.exchange()
      #expect(try b.store.mergeOptions() == Self.counter)
      let c = try devices.open("c", Self.script, merge: Self.counter)
      try exchange(a, b, c)
    }
  }

  @Test func `a store that would merge otherwise is not attached`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script, merge: Self.counter)
      let present = try devices.present()
      #expect {
        try devices.attach("b", Self.script, merge: Self.byRow)
      } throws: { error in
        let error = error as? SyncError
        return error?.code == .mergeDisagreement && error?.message.contains("table t") == true
          && error?.message.contains("by row") == true
          && error?.message.contains("with natural keys, n as counter") == true
      }
      #expect(try devices.present() == present)
      try a.execute("INSERT INTO t VALUES (1, 1)")
      try a.exchange()
      #expect(throws: SyncError.self) { try devices.attach("b", merge: Self.byRow) }
      let now = try devices.present().filter { !$0.contains("log/") && !$0.hasSuffix("-witness") }
      #expect(now == present)
    }
  }

  @Test func `a changed byte of what a peer declares is damage to its file, and no disagreement`()
    throws
  {
    try withTemporaryDirectory { directory in
      let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER DEFAULT 7)"
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO t VALUES (1, 1)")
      try exchange(a, b)
      let file = try URL(
        filePath: "\(devices.container)/tributary/C/peers/\(a.store.identity().peer)/peer.json")
      let right = try Data(contentsOf: file)
      let changed = String(decoding: right, as: UTF8.self)
        .replacing("DEFAULT 7", with: "DEFAULT 6")
      try #require(changed.utf8.count == right.count && Data(changed.utf8) != right)
      try Data(changed.utf8).write(to: file)

      let c = try devices.open("c", script)
      #expect(try c.rows("SELECT k FROM t") == ["1"])
      for device in [b, c] { #expect(try device.synchronize().failure == nil) }
      let findings = try Engine.diagnose(store: devices.path("b"))
      #expect(findings.map(\.code) == [.manifest] && findings.first?.path == file.path)
      #expect(findings.first?.explanation.contains("its checksum is wrong") == true)
      try a.exchange()
      #expect(try Data(contentsOf: file) == right)
    }
  }

  @Test func `a declaration that differs is not made, and the store stays as it was`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try exchange(a, b)
      #expect(throws: SyncError.self) { try devices.attach("b", merge: Self.byRow) }
      #expect(try b.store.mergeOptions().isEmpty)
      try exchange(a, b)
    }
  }

  @Test func `stores that came to differ import nothing until they agree`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE other (k INTEGER PRIMARY KEY)")
      let b = try devices.open("b", "CREATE TABLE other (k INTEGER PRIMARY KEY)")
      try exchange(a, b)
      try a.execute(Self.script)
      try b.execute(Self.script)
      try a.store.declare(Self.counter)
      try a.execute("INSERT INTO t VALUES (1, 1); INSERT INTO other VALUES (1)")
      try a.exchange()
      for _ in 0..<2 {
        let report = try b.synchronize()
        let failure = try #require(report.failure as? SyncError)
        #expect(failure.code == .mergeDisagreement)
        #expect(report.imported.transactions == 0)
        #expect(try b.rows("SELECT * FROM other") == [])
        #expect(try b.status().findings.contains("\(failure)"))
      }
      // It has not written the table, so it can take over what the other one says.
      try devices.attach("b")
      try exchange(a, b)
      #expect(try b.rows("SELECT k, n FROM t") == ["1|1"])
    }
  }

  @Test func `what a table needs by itself and what is declared are the same`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, a CHECK (a > b), b)"
      let a = try devices.open("a", script)
      let b = try devices.open("b", script, merge: Self.byRow)
      try exchange(a, b)
    }
  }

  @Test func `attach names the tables whose rows are numbered by each device`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE t (k INTEGER PRIMARY KEY); CREATE TABLE u (k INTEGER PRIMARY KEY);
        CREATE TABLE v (k TEXT PRIMARY KEY); CREATE TABLE w (k INTEGER PRIMARY KEY REFERENCES t);
        """
      let natural = MergeOptions(tables: ["u": TableMerge(keys: .natural)])
      let report = try devices.attach("a", script, merge: natural)
      #expect(report.warnings.count == 1)
      #expect(report.warnings.first?.hasPrefix("rows of table t are numbered") == true)
      #expect(report.warnings.first?.contains("tributary_id()") == true)
      #expect(try devices.attach("b", "CREATE TABLE v (k TEXT PRIMARY KEY)").warnings == [])
    }
  }
}
