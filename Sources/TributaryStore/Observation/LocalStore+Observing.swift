import TributaryCore
import TributaryLog
import TributarySQLite

/// Checks for commits by other connections.
extension LocalStore {
  /// Returns the state that shows whether there has been a commit.
  package func observedState() throws -> ObservedState { try service { try ObservedState($0) } }

  /// Returns the recorded changes of transactions.
  ///
  /// - Returns: changes with unknown tables if not all of the transactions are stored any more, or if there
  ///   are too many.
  package func recordedChanges(
    after earlier: SequenceNumber, through last: SequenceNumber
  ) throws -> CommittedChanges {
    var changes = CommittedChanges()
    changes.sequence = last
    guard last.rawValue - earlier.rawValue <= Self.recordLimit else { return changes }
    try service { connection in
      try connection.snapshot {
        var records: [[UInt8]] = []
        var byteCount = 0
        let pieces = OutboxPieces(connection)
        let outbox = Outbox(connection)
        for sequence in (earlier.rawValue + 1)...last.rawValue {
          let sequence = SequenceNumber(sequence)
          guard try outbox.hasChanges(sequence) else { return }
          try pieces.forEach(of: sequence) { bytes in
            byteCount += bytes.count
            if byteCount <= ObservedRecord.byteLimit { records.append(Array(bytes)) }
          }
          if byteCount > ObservedRecord.byteLimit { return }
        }
        changes.shapes = try ShapeRegistry(connection).shapes
        changes.records = records
        var tables: Set<SQLName> = []
        try changes.read { _, shape in tables.insert(SQLName(shape.table)) }
        changes.tables = Array(tables)
      }
    }
    return changes
  }

  /// The largest number of transactions whose changes are read at once.
  private static let recordLimit: UInt64 = 1000

  /// Whether another program has written something that was not captured.
  ///
  /// - Throws: also if another connection holds the write lock, since a commit in progress may look the same.
  package func hasUncapturedWrites() throws -> Bool {
    try service { connection in
      guard try ForeignCapture(connection).isDue() else { return false }
      return try connection.withoutWaiting {
        try connection.beginImmediate()
        defer { connection.rollBack() }
        return try ForeignCapture(connection).isDue()
      }
    }
  }

  /// Runs `body` on a snapshot of the database, and finds out what it reads.
  package func read<Result>(
    recording region: inout ReadRegion, heeding cancellation: Cancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    var found = ReadRegion()
    let result = try read(heeding: cancellation) { database in
      let connection = database.connection
      connection.classifier?.reads = []
      defer { connection.classifier?.reads = nil }
      let result = try body(database)
      let names = connection.classifier?.reads ?? []
      connection.classifier?.reads = nil
      found = try ReadRegion(names, connection)
      return result
    }
    region = found
    return result
  }

  /// Returns the region of tables that an application names.
  ///
  /// - Throws: `StoreError` with the code `misuse` for a name that is not the name of a table.
  package func region(of tables: [String]) throws -> ReadRegion {
    try read { database in
      for name in tables { try ReadRegion.check(name, database.connection) }
      return try ReadRegion(Set(tables.map { SQLName($0) }), database.connection)
    }
  }
}
