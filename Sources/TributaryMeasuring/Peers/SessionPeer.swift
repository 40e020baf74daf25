import CSQLite

/// A changeset of the session extension, stored in a table in the same transaction.
struct SessionPeer: Peer {
  let name = "session"

  func install(in database: PlainDatabase) throws {
    try database.execute("CREATE TABLE captured (id INTEGER PRIMARY KEY, changes BLOB)")
  }

  func open(on database: PlainDatabase) throws -> any PeerCapture { try SessionCapture(database) }

  var merges: Bool { true }

  func merge(from source: PlainDatabase, into target: PlainDatabase) throws {
    let select = try source.prepare("SELECT changes FROM captured ORDER BY id")
    while try source.step(select) {
      try target.execute("BEGIN IMMEDIATE")
      let code = sqlite3changeset_apply(
        target.handle, sqlite3_column_bytes(select, 0),
        UnsafeMutableRawPointer(mutating: sqlite3_column_blob(select, 0)), nil,
        { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
      guard code == SQLITE_OK else { throw BenchmarkError("a changeset cannot be applied") }
      try target.execute("COMMIT")
    }
  }
}

private final class SessionCapture: PeerCapture {
  private let database: PlainDatabase
  private let insert: OpaquePointer
  private var changes: SessionChanges?

  init(_ database: PlainDatabase) throws {
    self.database = database
    insert = try database.prepare("INSERT INTO captured (changes) VALUES (?)")
    changes = try SessionChanges(of: database)
  }

  func beforeCommit() throws {
    try changes?.withChangeset { bytes in
      _ = tributary_bind_blob(insert, 1, bytes.baseAddress, UInt64(bytes.count), 0)
      try database.run(insert)
    }
  }

  func afterCommit() throws { changes = try SessionChanges(of: database) }

  func close() { changes = nil }
}
