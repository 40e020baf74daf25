import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that cannot be read at all, or not be written.
struct AccessFindingTests {
  @Test func `rebuild of a store that SQLite cannot open does not recommend itself`() throws {
    try withDoctor { doctor in
      let store = doctor.devices.path("a")
      doctor.a.store.close()
      try change(store) { data in for index in 100..<3000 { data[index] = UInt8(index % 251) } }
      let error = #expect(throws: (any Error).self) { try Engine.rebuild(store: store) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("nothing of the store can be read: move the file away and"), "\(text)")
      #expect(!text.contains("brings it back from the logs"))
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything"))
  func `doctor and rebuild say what cannot be written`() throws {
    try withDoctor { doctor in
      let store = doctor.devices.path("a")
      doctor.a.store.close()
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: store)
      let finding = try #require(try doctor.findings("a").first)
      #expect(finding.text == "warning permission")
      #expect(finding.path == store)
      let error = #expect(throws: (any Error).self) { try Engine.rebuild(store: store) }
      #expect((error as? StoreError)?.code == .readOnly)
    }
  }

  @Test func `a store that was rebuilt has not been written by another program`() throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", "CREATE TABLE t (k TEXT PRIMARY KEY, v)")
      try programs.write("INSERT INTO t VALUES ('x', 1)", to: a)
      try a.exchange()
      a.store.close()
      for _ in 0..<2 {
        _ = try Engine.rebuild(store: a.store.path)
        #expect(try Engine.diagnose(store: a.store.path) == [])
      }
      // It is captured as before.
      let again = try SyncSession(store: a.store.path)
      try programs.write("UPDATE t SET v = 2", to: again)
      try again.exchange()
      #expect(try Engine.verify(store: again.store.path).differences.isEmpty)
    }
  }
}
