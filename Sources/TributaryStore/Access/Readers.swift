import TributarySQLite

/// Connections for reading that nobody uses at the moment.
struct Readers: Sendable {
  /// Sendable although unchecked: an idle connection has one owner, who hands it on whole.
  struct Idle: @unchecked Sendable {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }
  }

  private var idle: [Idle] = []
  private(set) var isEnded = false

  /// More than these are closed when they come back.
  private static let limit = 4

  /// - Returns: `nil` when there is none, and a new one is to be opened.
  mutating func take() -> Idle? { idle.popLast() }

  static func open(_ path: String) throws -> Idle {
    let connection = try Connection(path: path, mode: .readWrite, classifies: true)
    try connection.execute("PRAGMA query_only = ON")
    connection.keepPromises(whileReading: true)
    return Idle(connection)
  }

  /// One on which a pragma has changed something is not lent again.
  ///
  /// - Returns: whether it is kept; otherwise it is to be closed.
  mutating func give(_ connection: Idle) -> Bool {
    guard !isEnded, idle.count < Self.limit,
      connection.connection.classifier?.hasSettings != true
    else { return false }
    idle.append(connection)
    return true
  }

  /// Keeps none from now on.
  ///
  /// - Returns: those that are to be closed.
  mutating func end() -> [Idle] {
    isEnded = true
    defer { idle.removeAll() }
    return idle
  }
}
