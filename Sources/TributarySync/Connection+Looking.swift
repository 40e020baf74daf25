import TributaryFiles
import TributarySQLite

extension Connection {
  /// Opens a database for somebody who changes nothing, neither in the file nor beside it.
  ///
  /// - Throws: when there is no such file, or it cannot be opened.
  static func looking(at path: String, _ environment: Environment) throws -> Connection {
    // With nothing in it, its closing leaves nothing behind; with something, it leaves that alone.
    let log = try environment.localFiles.status(path + "-wal")?.size ?? 0
    let connection = try Connection(path: path, mode: .readWrite)
    if log > 0 { connection.keepWriteAheadLog() }
    try connection.execute("PRAGMA query_only = ON; PRAGMA foreign_keys = OFF")
    return connection
  }
}
