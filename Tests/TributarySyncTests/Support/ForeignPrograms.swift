import TributarySQLite
import TributaryStore
import TributarySync

/// Stores that programs write which know nothing of Tributary.
struct ForeignPrograms {
  let devices: SyncDevices

  init(in directory: String) throws { devices = try SyncDevices(in: directory) }

  /// Attaches a store whose triggers capture what they write.
  func open(_ name: String, _ script: String) throws -> SyncSession {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.migrations = [Migration(name: "1", sql: script)]
    request.capture = .triggers
    _ = try Engine.attach(request)
    return try SyncSession(store: devices.path(name))
  }

  /// Writes as a program does that has a SQLite of its own.
  func write(
    _ sql: String, to session: SyncSession, enforcing foreignKeys: Bool = true
  ) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = \(foreignKeys)")
    try connection.execute(sql)
  }
}
