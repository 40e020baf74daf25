import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Carries out `detach`.
struct Detacher {
  let path: String
  let environment: Environment

  func detach(removeLogs: Bool) throws {
    let database = try ExclusiveDatabase(path: path)
    defer { database.release() }
    let connection = database.connection
    guard try Settings.exist(in: connection) else {
      throw StoreError(
        .notAttached, "the database is not attached to a container", path: path,
        remedy: "there is nothing to detach")
    }
    let identity = try Settings(connection).identity()
    if removeLogs { try checkOriginal(connection, identity) }
    try connection.immediate {
      let statement = try connection.prepare(
        """
        SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name LIKE 'tributary\\_%' ESCAPE '\\' ORDER BY rowid DESC
        """)
      var names: [String] = []
      while try statement.step() { names.append(statement.string(0)) }
      statement.reset()
      for name in names { try connection.execute("DROP TABLE \(name.quotedIdentifier)") }
    }
    if removeLogs { try remove(identity) }
  }

  /// A copy has not written the logs under the identity that it still has.
  private func checkOriginal(_ connection: Connection, _ identity: StoreIdentity) throws {
    try environment.recognition.look(at: connection)
    guard try CopyTable(connection).first() != nil else { return }
    throw SyncError(
      .copied, "the file is a copy, and the logs of \(identity.peer) are those of the original",
      path: path, remedy: "detach it without --remove-logs")
  }

  private func remove(_ identity: StoreIdentity) throws {
    let directory = try identity.directory()
    let fileSystem = environment.fileSystem
    for folder in [
      directory.log(of: identity.peer), directory.baseline(of: identity.peer),
      directory.peer(identity.peer),
    ] {
      guard try fileSystem.status(folder) != nil else { continue }
      for entry in try fileSystem.list(folder) where entry.kind != .directory {
        try fileSystem.remove(folder.appending(component: entry.name))
      }
      try fileSystem.remove(folder)
    }
  }
}
