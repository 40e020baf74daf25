import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a refusal advises where one device has another key than the others.
enum KeyRemedy: CaseIterable {
  /// The device that is wrong detaches, makes the table as the others have it, and attaches again.
  case attaching
  /// All devices drop the table.
  case dropping

  /// Does what it says.
  ///
  /// - Parameters:
  ///   - b: the device that is wrong.
  ///   - script: the first migration of all devices.
  ///   - statement: what makes the table as the others have it.
  func follow(
    on devices: SyncDevices, _ a: SyncSession, _ b: inout SyncSession, _ c: SyncSession,
    table: String, of script: String, as statement: String
  ) throws {
    switch self {
    case .attaching:
      b.store.close()
      _ = try Engine.detach(store: devices.path("b"), removeLogs: true)
      let connection = try Connection(path: devices.path("b"), mode: .readWrite)
      try connection.execute("DROP TABLE \(table); \(statement)")
      connection.close()
      b = try devices.open("b")
    case .dropping:
      for session in [a, b, c] {
        try session.store.migrate([
          Migration(name: "1", sql: script),
          Migration(name: "2", sql: "-- tributary: drop \(table)\nDROP TABLE \(table)"),
        ])
      }
    }
  }
}
