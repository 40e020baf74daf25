import Testing
import Tributary
import TributaryTesting

/// Opens two devices with tables of the test's own, which both are rid of what they owe each other.
func withTwoDevices(_ sql: String, _ body: (Store, Store) throws -> Void) async throws {
  try await withTemporaryDirectory { directory in
    let devices = try Devices(in: directory)
    let schema: Schema = [Migration(name: "001", sql: sql)]
    let a = try await devices.open("a", schema: schema)
    let b = try await devices.open("b", schema: schema)
    try body(a, b)
  }
}

/// Synchronises each, in turn, as often as it takes for all to know everything, and checks after
/// each import what SQLite itself can check; in the end all are equal, with the same conflicts.
func settle(_ stores: Store...) throws {
  for _ in 0..<2 {
    for store in stores {
      let report = try store.synchronizeNow()
      #expect(report.failure == nil)
      #expect(report.waiting.isEmpty)
      #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
      #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
    }
  }
  for store in stores.dropFirst() {
    #expect(try store.digest() == stores[0].digest())
    #expect(try store.conflicts() == stores[0].conflicts())
  }
}
