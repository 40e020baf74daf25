import TributarySQLite

/// A script of any bytes, as another program may run it.
enum RawScript {
  /// Runs it, and makes the database if it is missing.
  static func run(_ script: [UInt8], at path: String) throws {
    let connection = try Connection(path: path, mode: .create)
    defer { connection.close() }
    var rest = (script + [0])[...]
    while let statement = try connection.prepareFirst(of: &rest) { try statement.run() }
  }
}
