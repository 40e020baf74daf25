import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases whose tables use functions that only their program has.
struct MissingFunctionTests {
  @Test(arguments: ["d DEFAULT (own())", "d NOT NULL DEFAULT (own(1) || 'x')"])
  func `a table that uses one is refused by name, or left out`(column: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, \(column)); CREATE TABLE other (k INTEGER PRIMARY KEY)"
      )
      connection.close()
      let before = try devices.present()
      let error = #expect(throws: StoreError.self) { try devices.attach("a") }
      #expect(error?.code == .unusableTable)
      #expect(error?.message.contains("table t cannot be made or written here") == true)
      #expect(error?.message.contains("own()") == true)
      #expect(try devices.present() == before)
      let a = try devices.open("a", tables: .except(["t"]))
      try a.execute("INSERT INTO other VALUES (1)")
      try a.exchange()
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
    }
  }
}
