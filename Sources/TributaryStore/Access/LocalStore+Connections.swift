import TributarySQLite

extension LocalStore {
  /// A write-ahead log larger than this is shortened when no connection needs it any more. SQLite starts it
  /// over after about 8 MB, unless a reader takes long.
  package static let largeLogByteCount = 16 << 20

  /// Twice SQLite's default number of pages between checkpoints. A commit writes its record beside its rows,
  /// so as many commits share the two fsyncs of a checkpoint as would without the record.
  static let logSettings =
    "PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = \(largeLogByteCount)"

  /// Makes a connection that applies rows as they are.
  ///
  /// - Parameter needsRoom: whether it needs room for the files that SQLite keeps beside the database; if
  ///   not, it keeps other connections out.
  static func makeServiceConnection(_ path: String, needsRoom: Bool = true) throws -> Connection {
    let connection = try Connection(path: path, mode: .readWrite)
    if !needsRoom { try connection.keepLogIndexInMemory() }
    try connection.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF;
      \(logSettings)
      """)
    connection.setTriggers(firing: false)
    connection.refuseDamage()
    connection.observer = OwnCommits()
    return connection
  }

  /// Opens a store for inspection, even where the disk is full.
  static func makeLookingConnection(_ path: String) throws -> Connection {
    do {
      return try makeServiceConnection(path)
    } catch let error as SQLiteError where error.lacksRoom {
      return try makeServiceConnection(path, needsRoom: false)
    }
  }

  /// Checks that the file is still where it was opened: its log would be the one of its former place. While a
  /// connection that has read is open, no process can move the file.
  static func checkInPlace(_ connection: Connection) throws {
    _ = try connection.integer("PRAGMA main.schema_version")
    guard connection.hasMoved else { return }
    throw StoreError(
      .notAttached, "the database was moved or removed while it was opened",
      path: connection.path, remedy: "open it where it is now")
  }
}
