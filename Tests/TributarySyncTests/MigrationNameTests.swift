import Testing
import TributaryStore
import TributarySync
import TributaryTesting

struct MigrationNameTests {
  @Test(arguments: [false, true])
  func `two migrations of one name are refused by that name`(exists: Bool) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      if exists { try devices.attach("a", "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.migrations = [
        Migration(name: "1", sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)"),
        Migration(name: "1", sql: "CREATE TABLE u (id INTEGER PRIMARY KEY)"),
      ]
      let before = try devices.present()
      let error = try #require(throws: StoreError.self) { try Engine.attach(request) }
      #expect(error.code == .migration)
      #expect(error.message == "two migrations have the name 1")
      #expect(try devices.present() == before)
    }
  }
}
