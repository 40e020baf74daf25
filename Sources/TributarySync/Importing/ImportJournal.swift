import TributaryCore
import TributarySQLite
import TributaryStore

/// The latest imports, kept in the store for other processes that use it.
struct ImportJournal {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The number of an import: each is larger than all before it.
  typealias Entry = Int64

  /// Older imports than this many are forgotten.
  static let limit: Int64 = 1000

  /// All but the latest together have about as many bytes at most.
  static let byteLimit: Int64 = 4 << 20

  /// An import of more than this many bytes has the others counted; so has every 64th.
  private static let largeByteCount = 64 << 10

  /// - Returns: the number that it has when it is committed.
  func append(_ imported: SyncReport.Imported, milliseconds: UInt64) throws -> Entry {
    var json = JSONWriter()
    imported.write(to: &json, withConflicts: true)
    try connection.cached("INSERT INTO tributary_import (time, changes) VALUES (?, ?)")
      .run(.integer(Int64(clamping: milliseconds)), .text(json.bytes))
    let entry = try connection.integer("SELECT last_insert_rowid()") ?? 0
    try forget(upTo: entry - Self.limit)
    if json.bytes.count > Self.largeByteCount || entry % 64 == 0 { try forgetLarge(before: entry) }
    return entry
  }

  private func forget(upTo entry: Entry) throws {
    try connection.cached("DELETE FROM tributary_import WHERE id <= ?").run(.integer(entry))
  }

  private func forgetLarge(before entry: Entry) throws {
    let first = try connection.integer(
      """
      SELECT max(id) FROM (
        SELECT id, sum(length(CAST(changes AS BLOB))) OVER (ORDER BY id DESC) AS bytes
        FROM tributary_import WHERE id < ?)
      WHERE bytes > ?
      """, .integer(entry), .integer(Self.byteLimit))
    if let first { try forget(upTo: first) }
  }

  /// The number of the latest import; 0 before the first.
  func last() throws -> Entry {
    try connection.integer("SELECT max(id) FROM tributary_import") ?? 0
  }

  /// The imports after one of them, in order.
  func entries(after entry: Entry) throws -> [(entry: Entry, imported: SyncReport.Imported)] {
    let statement = try connection.cached(
      "SELECT id, changes FROM tributary_import WHERE id > ? ORDER BY id")
    defer { statement.reset() }
    try statement.bind(entry, at: 1)
    var entries: [(entry: Entry, imported: SyncReport.Imported)] = []
    while try statement.step() {
      // What cannot be read is no reason to stop: it is told as what it may have been.
      var imported =
        SyncReport.Imported(json: Array(statement.bytes(1)), conflicts: conflict) ?? .everything
      imported.entry = statement.integer(0)
      entries.append((statement.integer(0), imported))
    }
    return entries
  }

  /// - Returns: `nil` for one that has ended since.
  private func conflict(_ id: String) -> Conflict? {
    // One that cannot be read is listed, or reported, to those who ask for it.
    guard let conflict = try? ConflictTable(connection).conflict(id), conflict.ended == nil else {
      return nil
    }
    return conflict
  }
}
