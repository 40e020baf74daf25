import TributaryCore
import TributaryLog
import TributarySQLite

/// The store's own transactions, kept until every peer has them.
package struct Outbox {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A transaction without its changes.
  package struct Record: Sendable {
    package var sequence: SequenceNumber
    package var time: HybridTime
    /// The number in `tributary_schema`.
    package var schema: UInt32
    package var basis: Knowledge?

    package init(
      sequence: SequenceNumber, time: HybridTime, schema: UInt32, basis: Knowledge?
    ) {
      self.sequence = sequence
      self.time = time
      self.schema = schema
      self.basis = basis
    }
  }

  /// Larger changes are stored in pieces of about this many bytes.
  static let pieceByteCount = 4 << 20

  /// Returns where changes are divided, as the ends of the pieces.
  static func pieces(
    of changes: UnsafeRawBufferPointer, layout: (UInt32) -> ShapeLayout?
  ) throws -> [Int] {
    guard changes.count > pieceByteCount else { return [changes.count] }
    var ends: [Int] = []
    var reader = ChangeListReader(changes)
    var start = 0
    while try reader.next(layout: layout) != nil {
      if reader.offset - start >= pieceByteCount {
        ends.append(reader.offset)
        start = reader.offset
      }
    }
    if ends.last != changes.count { ends.append(changes.count) }
    return ends
  }

  /// Returns the newest transaction; `nil` before the first.
  package func last() throws -> (sequence: SequenceNumber, time: HybridTime)? {
    let statement = try connection.cached(
      "SELECT sequence, time FROM tributary_outbox ORDER BY sequence DESC LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard let sequence = statement.sequence(0), statement.type(1) == .integer else {
      throw damaged("\(statement.integer(0))")
    }
    return (sequence, HybridTime(rawValue: UInt64(bitPattern: statement.integer(1))))
  }

  /// Returns the first transaction that is still stored; `nil` if there is none.
  package func first() throws -> SequenceNumber? {
    try connection.integer("SELECT min(sequence) FROM tributary_outbox").map {
      SequenceNumber(UInt64(clamping: $0))
    }
  }

  /// Returns the first transaction that is stored with its changes; `nil` if there is none. The changes of
  /// adopted rows may be in a baseline alone.
  package func firstWithChanges() throws -> SequenceNumber? {
    try connection.integer(
      "SELECT sequence FROM tributary_outbox WHERE length(changes) > 0 ORDER BY sequence LIMIT 1"
    ).map { SequenceNumber(UInt64(clamping: $0)) }
  }

  /// Whether a transaction is stored with its changes.
  package func hasChanges(_ sequence: SequenceNumber) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM tributary_outbox WHERE sequence = ? AND length(changes) > 0",
      .integer(Int64(sequence.rawValue))) != nil
  }

  /// Removes the transactions up to `last`, which no other peer will send back and which no peer needs from
  /// here.
  package func remove(upTo last: SequenceNumber) throws {
    for table in ["tributary_outbox_piece", "tributary_outbox"] {
      try connection.cached("DELETE FROM \(table) WHERE sequence <= ?")
        .run(.integer(Int64(last.rawValue)))
    }
  }

  private static let insertion =
    "INSERT INTO tributary_outbox(sequence, time, schema, basis, place, changes) VALUES (?, ?, ?, ?, ?, ?)"

  /// Returns the statement of `append`, for callers that append so often that the cost of looking it up would
  /// be noticeable.
  func makeInsertion() throws -> Statement {
    try connection.prepare(Self.insertion, persistent: true)
  }

  /// Appends a transaction.
  ///
  /// - Parameter pieces: the ends of the pieces in `changes`; the last one is the byte count of
  ///   `changes`.
  package func append(
    _ record: Record, changes: UnsafeRawBufferPointer, pieces: [Int]
  ) throws {
    try append(
      record, changes: changes, pieces: pieces, insertion: connection.cached(Self.insertion))
  }

  /// Appends a transaction with a statement from `makeInsertion`.
  ///
  /// - Parameter place: the start of the open transaction in the write-ahead log, if that is recorded.
  func append(
    _ record: Record, changes: UnsafeRawBufferPointer, pieces: [Int], place: LogPlace? = nil,
    insertion statement: Statement
  ) throws {
    try statement.bind(Int64(record.sequence.rawValue), at: 1)
    try statement.bind(Int64(bitPattern: record.time.rawValue), at: 2)
    try statement.bind(Int64(record.schema), at: 3)
    if let basis = record.basis {
      try statement.bind(.blob(basis.encoded), at: 4)
    } else {
      try statement.bindNull(at: 4)
    }
    if let place {
      try statement.bind(place.rawValue, at: 5)
    } else {
      try statement.bindNull(at: 5)
    }
    try statement.bind(
      borrowedBlob: UnsafeRawBufferPointer(rebasing: changes[..<(pieces.first ?? changes.count)]),
      at: 6)
    try statement.run()
    for (index, end) in pieces.enumerated().dropFirst() {
      try appendPiece(
        record.sequence, index,
        UnsafeRawBufferPointer(rebasing: changes[pieces[index - 1]..<end]))
    }
  }

  /// Adds another piece to an existing transaction.
  func appendPiece(
    _ sequence: SequenceNumber, _ piece: Int, _ changes: UnsafeRawBufferPointer
  ) throws {
    let statement = try connection.cached("INSERT INTO tributary_outbox_piece VALUES (?, ?, ?)")
    try statement.bind(Int64(sequence.rawValue), at: 1)
    try statement.bind(Int64(piece), at: 2)
    try statement.bind(borrowedBlob: changes, at: 3)
    try statement.run()
  }

  /// Returns the transactions from `first` to `last`, without their changes.
  package func records(from first: SequenceNumber, to last: SequenceNumber) throws -> [Record] {
    try records(from: first, to: last, where: "TRUE")
  }

  /// Returns those transactions from `first` to `last` that are based on an earlier version.
  package func basedRecords(
    from first: SequenceNumber, to last: SequenceNumber
  ) throws -> [Record] {
    try records(from: first, to: last, where: "basis IS NOT NULL")
  }

  private func records(
    from first: SequenceNumber, to last: SequenceNumber, where condition: String
  ) throws -> [Record] {
    let statement = try connection.cached(
      """
      SELECT sequence, time, schema, basis FROM tributary_outbox
      WHERE sequence BETWEEN ? AND ? AND \(condition) ORDER BY sequence
      """)
    defer { statement.reset() }
    try statement.bind(Int64(first.rawValue), at: 1)
    try statement.bind(Int64(last.rawValue), at: 2)
    var records: [Record] = []
    while try statement.step() {
      guard let sequence = statement.sequence(0), statement.type(1) == .integer,
        statement.type(2) == .integer, let schema = UInt32(exactly: statement.integer(2))
      else { throw damaged("\(statement.integer(0))") }
      let basis = statement.isNull(3) ? nil : Knowledge(decoding: statement.bytes(3))
      guard statement.isNull(3) || statement.type(3) == .blob && basis != nil else {
        throw damaged("\(sequence)")
      }
      records.append(
        Record(
          sequence: sequence, time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(1))),
          schema: schema, basis: basis))
    }
    return records
  }

  private func damaged(_ sequence: String) -> StoreError {
    .damaged("transaction \(sequence) of this store cannot be read", path: connection.path)
  }

  /// Returns the first transaction whose time is not before `time`, or `nil`.
  ///
  /// - Complexity: O(log *n*)
  package func firstSequence(notBefore time: HybridTime) throws -> SequenceNumber? {
    // Times rise with sequence numbers, so a binary search works.
    guard let newest = try last(), newest.time >= time else { return nil }
    var low: UInt64 = 0
    var high = newest.sequence.rawValue
    while high - low > 1 {
      let middle = (low + high) / 2
      if try self.time(of: SequenceNumber(middle)) >= time { high = middle } else { low = middle }
    }
    return SequenceNumber(high)
  }

  private func time(of sequence: SequenceNumber) throws -> HybridTime {
    let raw = try connection.integer(
      "SELECT time FROM tributary_outbox WHERE sequence = ?", .integer(Int64(sequence.rawValue)))
    return HybridTime(rawValue: UInt64(bitPattern: raw ?? 0))
  }
}
