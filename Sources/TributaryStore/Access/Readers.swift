import TributarySQLite

/// Connections for reading that nobody uses at the moment.
struct Readers: Sendable {
  /// Sendable although unchecked: an idle connection has one owner, who hands it on whole.
  struct Idle: @unchecked Sendable {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }
  }

  private var idle: [Idle] = []

  /// More than these are closed when they come back.
  private static let limit = 4

  mutating func take(_ path: String) throws -> Idle {
    if let last = idle.popLast() { return last }
    let connection = try Connection(path: path, mode: .readWrite, classifies: true)
    try connection.execute("PRAGMA query_only = ON")
    return Idle(connection)
  }

  mutating func give(_ connection: Idle) {
    if idle.count < Self.limit { idle.append(connection) }
  }
}
