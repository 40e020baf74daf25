import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases that would share a table which all other devices leave out.
struct UnsharedTableTests {
  private func make(_ devices: SyncDevices, _ name: String, _ table: String = "ver") throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(
      """
      CREATE TABLE t (id TEXT PRIMARY KEY, a);
      CREATE TABLE \(table.quotedIdentifier) (v TEXT PRIMARY KEY)
      """)
  }

  @Test(arguments: [
    ("ver", "ver"), ("my ver", "'my ver'"), ("a,b", #"'"a,b"'"#), ("it's", #"'it'\''s'"#),
    (#"say "so", then"#, #"'"say ""so"", then"'"#),
  ])
  func `it is named, also in a rehearsal, with the option that leaves it out`(
    table: String, word: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for name in ["a", "b"] { try make(devices, name, table) }
      let a = try devices.open("a", tables: .except([table]))
      try a.execute(
        "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN w; INSERT INTO t VALUES ('1', 1)")
      try a.exchange()
      var request = AttachRequest(
        store: devices.path("b"), container: devices.container, contentName: "C")
      func warnings(_ report: AttachReport) -> [String] {
        report.notes.filter { $0.options == [.except(table)] }.map(\.text)
      }
      let expected = [
        "table \(table) is shared here, and the devices that have it leave it out: its rows reach none of them; to leave "
          + "it out here, too, attach with --except \(word)"
      ]
      #expect(try warnings(Engine.rehearse(request)) == expected)
      #expect(try warnings(Engine.attach(request)) == expected)
      // Nothing more is said of a store.
      #expect(try warnings(Engine.attach(request)) == [])
      try make(devices, "c", table)
      request.store = devices.path("c")
      // Now there is a device that shares it.
      #expect(try warnings(Engine.rehearse(request)) == [])
    }
  }

  @Test func `a table that is left out, or that others share, is not`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for name in ["a", "b", "c"] { try make(devices, name) }
      let a = try devices.open("a", tables: .except(["ver"]))
      try a.execute("INSERT INTO t VALUES ('1', 1)")
      try a.exchange()
      #expect(try devices.attach("b").warnings == [])
      #expect(try devices.attach("c", tables: .except(["ver"])).warnings == [])
    }
  }
}
