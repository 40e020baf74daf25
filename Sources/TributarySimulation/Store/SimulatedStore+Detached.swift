internal import TributaryCore
internal import TributarySQLite
internal import TributarySync
internal import TributaryTesting

/// The device's database while it is not a store.
extension SimulatedStore {
  /// Makes it an ordinary database.
  func detach(leavingUnpublished: Bool) throws {
    close()
    forgetVersions()
    try Engine.detach(
      store: path, removeLogs: false, leavingUnpublished: leavingUnpublished,
      environment: environment)
  }

  /// Returns what the tables show.
  func detachedContents() throws -> ReferenceContents {
    try ReferenceContents(of: path, schema)
  }

  /// Writes as any program does; statements that a constraint stops are skipped.
  func runDetached(_ write: RandomWrite) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    // Rows that REPLACE deletes are removed from the copies only if its triggers fire.
    try connection.execute(
      "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = \(copies.isEmpty ? "OFF" : "ON")")
    for statement in write.statements {
      do {
        let prepared = try connection.prepare(statement.sql)
        try prepared.bind(statement.parameters)
        try prepared.run()
      } catch {
        // A failed statement changes nothing.
        continue
      }
    }
  }
}
