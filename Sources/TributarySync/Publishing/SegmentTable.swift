import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// The segments that a store has published.
struct SegmentTable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  struct Segment {
    var name: SegmentName
    /// Of the file.
    var bytes: UInt64
  }

  func all() throws -> [Segment] {
    let statement = try connection.cached(
      "SELECT name, bytes, first, last FROM tributary_segment ORDER BY first")
    defer { statement.reset() }
    var segments: [Segment] = []
    while try statement.step() {
      guard let name = SegmentName(statement.string(0)), statement.sequence(2) == name.first,
        statement.sequence(3) == name.last, statement.type(1) == .integer
      else {
        throw StoreError.damaged(
          "a row of tributary_segment contradicts itself", path: connection.path)
      }
      segments.append(Segment(name: name, bytes: UInt64(clamping: statement.integer(1))))
    }
    return segments
  }

  /// The last transaction that is in a segment; zero when there is none.
  func last() throws -> SequenceNumber {
    SequenceNumber(
      UInt64(clamping: try connection.integer("SELECT max(last) FROM tributary_segment") ?? 0))
  }

  func add(_ segment: Segment) throws {
    try connection.cached("INSERT OR REPLACE INTO tributary_segment VALUES (?, ?, ?, ?)").run(
      .integer(Int64(segment.name.first.rawValue)), .integer(Int64(segment.name.last.rawValue)),
      .string(segment.name.description), .integer(Int64(clamping: segment.bytes)))
  }

  func removeAll() throws { try connection.execute("DELETE FROM tributary_segment") }
}
