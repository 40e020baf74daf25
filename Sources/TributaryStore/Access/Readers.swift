import Glibc
import TributarySQLite

/// The idle connections for reading.
struct Readers: Sendable {
  /// The unchecked Sendable conformance is safe: an idle connection has one owner, which passes it on as a
  /// whole.
  struct Idle: @unchecked Sendable {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }
  }

  private var idle: [Idle] = []
  private(set) var isEnded = false

  /// When this many connections are idle, further ones are closed as they come back.
  private static let limit = 4

  /// Takes an idle connection.
  ///
  /// - Returns: `nil` if there is none, so that a new one must be opened.
  mutating func take() -> Idle? { idle.popLast() }

  /// Opens a connection.
  ///
  /// - Parameter leavingLog: whether the write-ahead log stays as it is when the connection is closed.
  static func open(_ path: String, leavingLog: Bool = false) throws -> Idle {
    var status = stat()
    let hasLog = leavingLog && stat(path + "-wal", &status) == 0 && status.st_size > 0
    let connection = try Connection(path: path, mode: .readWrite, classifies: true)
    // Closing a connection to a database with an empty log leaves no files behind.
    if hasLog { connection.keepWriteAheadLog() }
    try connection.execute("PRAGMA query_only = ON")
    connection.keepPromises(whileReading: true)
    return Idle(connection)
  }

  /// Takes a connection back, unless a pragma has changed it.
  ///
  /// - Returns: whether the connection is kept; otherwise it must be closed.
  mutating func give(_ connection: Idle) -> Bool {
    guard !isEnded, idle.count < Self.limit,
      connection.connection.classifier?.hasSettings != true
    else { return false }
    idle.append(connection)
    return true
  }

  /// Takes all idle connections, which must be closed.
  mutating func takeAll() -> [Idle] {
    defer { idle.removeAll() }
    return idle
  }

  /// Stops keeping connections.
  ///
  /// - Returns: the connections that must be closed.
  mutating func end() -> [Idle] {
    isEnded = true
    return takeAll()
  }
}

extension Connection {
  /// Lends a snapshot of the database to an application.
  ///
  /// - Parameter cancellation: ends the statements of `body`.
  /// - Throws: what `body` throws; `CancellationError`.
  func lend<Result>(
    heeding cancellation: Cancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    let database = Database(reader: self, heeding: cancellation)
    defer { database.close() }
    guard let cancellation else { return try snapshot { try body(database) } }
    return try cancellation.naming {
      let result = try snapshot { try heeding(cancellation) { try body(database) } }
      try cancellation.check()
      return result
    }
  }
}
