import CSQLite

/// Other ways to note what changed, in the same library.
enum Peer: String, CaseIterable {
  /// A changeset of the session extension, kept in a table in the same transaction.
  case session
  /// Triggers that write each row as JSON.
  case triggers

  func start(on database: PlainDatabase) throws -> PeerCapture {
    try database.execute("CREATE TABLE captured (id INTEGER PRIMARY KEY, changes BLOB)")
    switch self {
    case .session: return try SessionCapture(database)
    case .triggers: return try TriggerCapture(database)
    }
  }
}

protocol PeerCapture {
  func beforeCommit() throws
  func afterCommit() throws
}

struct TriggerCapture: PeerCapture {
  init(_ database: PlainDatabase) throws {
    let columns = [
      "title", "artist", "album", "genre", "year", "duration", "rating", "path", "added",
    ]
    // A blob has no place in JSON.
    let key = { (row: String) in
      "'id', CASE typeof(\(row).id) WHEN 'blob' THEN hex(\(row).id) ELSE \(row).id END"
    }
    let row =
      "json_object(\(key("new")), \(columns.map { "'\($0)', new.\($0)" }.joined(separator: ", ")))"
    for (event, image) in [
      ("INSERT", row), ("UPDATE", row), ("DELETE", "json_object(\(key("old")))"),
    ] {
      try database.execute(
        """
        CREATE TRIGGER capture_\(event) AFTER \(event) ON tracks BEGIN
          INSERT INTO captured (changes) VALUES (\(image));
        END
        """)
    }
  }

  func beforeCommit() {}
  func afterCommit() {}
}

final class SessionCapture: PeerCapture {
  private let database: PlainDatabase
  private let insert: OpaquePointer
  private var session: OpaquePointer?

  init(_ database: PlainDatabase) throws {
    self.database = database
    insert = try database.prepare("INSERT INTO captured (changes) VALUES (?)")
    try open()
  }

  deinit { sqlite3session_delete(session) }

  private func open() throws {
    guard sqlite3session_create(database.handle, "main", &session) == SQLITE_OK,
      sqlite3session_attach(session, "tracks") == SQLITE_OK
    else { throw BenchmarkError("no session") }
  }

  func beforeCommit() throws {
    var count: Int32 = 0
    var changes: UnsafeMutableRawPointer?
    guard sqlite3session_changeset(session, &count, &changes) == SQLITE_OK else {
      throw BenchmarkError("no changeset")
    }
    defer { sqlite3_free(changes) }
    _ = tributary_bind_blob(insert, 1, changes, UInt64(count), 0)
    try database.run(insert)
  }

  func afterCommit() throws {
    sqlite3session_delete(session)
    try open()
  }
}
