import TributarySQLite

extension LocalStore {
  /// A larger write-ahead log is shortened when nobody needs it any more. SQLite starts it over
  /// after about 8 MB, unless a reader takes long.
  package static let largeLogByteCount = 16 << 20

  /// Twice the pages of SQLite's default between checkpoints: a commit writes its record beside its
  /// rows, and so as many commits share the two fsyncs of a checkpoint as without the record.
  static let logSettings =
    "PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = \(largeLogByteCount)"

  /// Makes a connection that applies rows as they are.
  ///
  /// - Parameter needsRoom: whether it needs room for the files that SQLite keeps beside the database; otherwise, it keeps
  ///   other connections out.
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

  /// Opens a store to look at it, even where the disk is full.
  static func makeLookingConnection(_ path: String) throws -> Connection {
    do {
      return try makeServiceConnection(path)
    } catch let error as SQLiteError where error.lacksRoom {
      return try makeServiceConnection(path, needsRoom: false)
    }
  }

  /// Checks that the file is still where it was opened: its log would be that of its former place. While a connection
  /// that has read is open, nobody can move the file.
  static func checkInPlace(_ connection: Connection) throws {
    _ = try connection.integer("PRAGMA main.schema_version")
    guard connection.hasMoved else { return }
    throw StoreError(
      .notAttached, "the database was moved or removed while it was opened",
      path: connection.path, remedy: "open it where it is now")
  }
}
