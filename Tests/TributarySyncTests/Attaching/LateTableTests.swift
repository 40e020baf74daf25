import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables that are named when a store is attached, and come from other devices later.
struct LateTableTests {
  private static let script = """
    CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TABLE cache (id INTEGER PRIMARY KEY)
    """

  private func fill(_ devices: SyncDevices) throws {
    let a = try devices.open("a", Self.script)
    try a.execute("INSERT INTO note VALUES (1, 'one'); INSERT INTO cache VALUES (1)")
    try a.exchange()
  }

  @Test(arguments: [TableSelection.except(["CACHE"]), .only(["note"])])
  func `a table that is still to come can be left out`(tables: TableSelection) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", tables: tables)
      try fill(devices)
      try b.exchange()
      #expect(try b.rows("SELECT text FROM note") == ["one"])
      #expect(try b.rows("SELECT count(*) FROM cache") == ["0"])
      try b.execute("INSERT INTO cache VALUES (2)")
      #expect(try b.synchronize().published.transactions == 0)
    }
  }

  @Test func `a name that no table has is refused when the tables come, and can be mended`() throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", tables: .except(["cahce"]))
      try fill(devices)
      let error = try #require(throws: StoreError.self) { try b.synchronize() }
      #expect(error.code == .unusableTable && error.message.contains("cahce"))
      try devices.attach("b", tables: .except(["cache"]))
      try b.exchange()
      #expect(try b.rows("SELECT text FROM note") == ["one"])
      #expect(try b.rows("SELECT count(*) FROM cache") == ["0"])
    }
  }
}
