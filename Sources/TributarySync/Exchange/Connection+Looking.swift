import TributaryFiles
import TributarySQLite

extension Connection {
  /// Opens a database for inspection without changing the file or anything beside it.
  ///
  /// - Throws: if the file does not exist or cannot be opened.
  static func looking(at path: String, _ environment: StoreEnvironment) throws -> Connection {
    // Closing a connection leaves no files behind if the log is empty. A log that is not empty stays as it
    // is.
    let log = try environment.localFiles.status(path + "-wal")?.size ?? 0
    func open(_ prepare: (Connection) throws -> Void = { _ in }) throws -> Connection {
      let connection = try Connection(path: path, mode: .readWrite)
      try prepare(connection)
      if log > 0 { connection.keepWriteAheadLog() }
      try connection.execute("PRAGMA query_only = ON; PRAGMA foreign_keys = OFF")
      return connection
    }
    let connection = try open()
    // A full disk can still be read.
    guard connection.lackOfRoom() != nil else { return connection }
    connection.close()
    return try open { try $0.keepLogIndexInMemory() }
  }
}
