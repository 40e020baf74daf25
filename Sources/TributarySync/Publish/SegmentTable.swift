import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// The segments that a store has published.
struct SegmentTable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  struct Segment: Equatable {
    var name: SegmentName
    /// The size of the file.
    var bytes: UInt64
    /// The approximate size before compression; see `OutboxSizes`.
    var payload: Int64
    /// The compression level.
    var level: Int

    var piece: SegmentPolicy.Piece {
      SegmentPolicy.Piece(name.first, name.last, payload: payload, bytes: bytes, level: level)
    }
  }

  func all() throws -> [Segment] {
    let statement = try connection.cached(
      "SELECT name, bytes, first, last, payload, level FROM tributary_segment ORDER BY first")
    defer { statement.reset() }
    var segments: [Segment] = []
    while try statement.step() {
      guard let name = SegmentName(statement.string(0)), statement.sequence(2) == name.first,
        statement.sequence(3) == name.last, statement.type(1) == .integer,
        statement.type(4) == .integer, statement.type(5) == .integer,
        SegmentPolicy.levels.contains(Int(clamping: statement.integer(5)))
      else {
        throw StoreError.damaged(
          "a row of tributary_segment contradicts itself", path: connection.path)
      }
      segments.append(
        Segment(
          name: name, bytes: UInt64(clamping: statement.integer(1)), payload: statement.integer(4),
          level: Int(clamping: statement.integer(5))))
    }
    return segments
  }

  /// Returns what is wrong with the records, each as a phrase: rows that contradict themselves or the outbox,
  /// and transactions before the last published one that are in no row.
  ///
  /// - Parameter last: the last transaction in the outbox.
  func contradictions(upTo last: SequenceNumber) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT first, last, name FROM tributary_segment ORDER BY first")
    var found: [String] = []
    var end = try RemovedTransactions(connection).last
    while try statement.step() {
      let text = statement.string(2)
      guard let name = SegmentName(text),
        name.first.rawValue == UInt64(clamping: statement.integer(0)),
        name.last.rawValue == UInt64(clamping: statement.integer(1))
      else {
        found.append("a row of tributary_segment contradicts itself: \(text.debugDescription)")
        continue
      }
      if name.first > end.next {
        let missing = end.next...SequenceNumber(name.first.rawValue - 1)
        found.append("tributary_segment has no segment with \(PeerText.transactions(missing))")
      }
      end = max(end, name.last)
    }
    if end > last {
      found.append(
        "tributary_segment has segments up to transaction \(end), and tributary_outbox ends with \(last)"
      )
    }
    return found
  }

  /// Returns the recorded publications of the store under an identity, including those that it must remove
  /// because another segment contains their transactions.
  func remembered(of peer: PeerIdentity) throws -> Set<SegmentName> {
    Set(try all().map(\.name)).union(
      try WithdrawalTable(connection).all(of: peer).lazy.compactMap { SegmentName($0.name) })
  }

  /// Returns the last transaction that is published, either in a segment or, if all segments are gone, in a
  /// baseline; zero if there is none.
  func last() throws -> SequenceNumber {
    guard let last = try connection.integer("SELECT max(last) FROM tributary_segment") else {
      return try RemovedTransactions(connection).last
    }
    return SequenceNumber(UInt64(clamping: last))
  }

  func add(_ segment: Segment) throws {
    try connection.cached("INSERT OR REPLACE INTO tributary_segment VALUES (?, ?, ?, ?, ?, ?)").run(
      .integer(Int64(segment.name.first.rawValue)), .integer(Int64(segment.name.last.rawValue)),
      .string(segment.name.description), .integer(Int64(clamping: segment.bytes)),
      .integer(segment.payload), .integer(Int64(segment.level)))
  }

  func remove(_ segment: Segment) throws {
    try connection.cached("DELETE FROM tributary_segment WHERE first = ?")
      .run(.integer(Int64(segment.name.first.rawValue)))
  }

  /// Removes all records, for a repair that writes them anew.
  func removeAll() throws { try connection.execute("DELETE FROM tributary_segment") }
}
