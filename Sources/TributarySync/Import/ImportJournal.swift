import TributaryCore
import TributarySQLite
import TributaryStore

/// The latest imports, recorded in the store for other processes that use it.
struct ImportJournal {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The number of an import, larger than all earlier ones.
  typealias Entry = Int64

  /// The number of imports to keep; older ones are removed.
  static let limit: Int64 = 1000

  /// The approximate size limit, in bytes, of all imports but the latest.
  static let byteLimit: Int64 = 4 << 20

  /// The sizes of all imports are added up after an import of more than this many bytes, and after every
  /// 64th.
  private static let largeByteCount = 64 << 10

  /// Appends an import.
  ///
  /// - Returns: the number that it will have once it is committed.
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

  /// After this many milliseconds, every process that uses the store has looked, or is informed that
  /// everything may have changed.
  static let retention: Int64 = 3_600_000

  /// Whether `forgetOld` would remove anything.
  func hasOld(_ milliseconds: UInt64) throws -> Bool {
    let oldest = try connection.integer(
      """
      SELECT time FROM tributary_import WHERE id < (SELECT max(id) FROM tributary_import)
      ORDER BY id LIMIT 1
      """)
    return oldest ?? .max < Int64(clamping: milliseconds) - Self.retention
  }

  /// Removes imports that no process will ask for any more, except for the latest one, which shows that there
  /// were some.
  func forgetOld(_ milliseconds: UInt64) throws {
    guard try hasOld(milliseconds) else { return }
    try connection.atomic {
      try connection.cached(
        """
        DELETE FROM tributary_import WHERE id < (
          SELECT coalesce(min(id), (SELECT max(id) FROM tributary_import)) FROM tributary_import
          WHERE time >= ?)
        """
      ).run(.integer(Int64(clamping: milliseconds) - Self.retention))
    }
  }

  /// Returns the number of the latest import; 0 before the first.
  func last() throws -> Entry {
    try connection.integer("SELECT max(id) FROM tributary_import") ?? 0
  }

  /// Returns the numbers of the imports after a given one, in order.
  func entries(after entry: Entry) throws -> [Entry] {
    let statement = try connection.cached(
      "SELECT id FROM tributary_import WHERE id > ? ORDER BY id")
    defer { statement.reset() }
    try statement.bind(entry, at: 1)
    var entries: [Entry] = []
    while try statement.step() { entries.append(statement.integer(0)) }
    return entries
  }

  /// Returns an import.
  ///
  /// - Returns: `everything` for an import that cannot be read or was removed meanwhile: it may have changed
  ///   anything.
  func imported(_ entry: Entry) throws -> SyncReport.Imported {
    let statement = try connection.cached("SELECT changes FROM tributary_import WHERE id = ?")
    defer { statement.reset() }
    try statement.bind(entry, at: 1)
    var imported = SyncReport.Imported.everything
    if try statement.step(),
      let read = SyncReport.Imported(json: Array(statement.bytes(0)), conflicts: conflicts)
    {
      imported = read
    }
    imported.entry = entry
    return imported
  }

  /// Returns the conflicts that are still open.
  ///
  /// - Returns: the open conflicts among these.
  private func conflicts(_ ids: [Conflict.ID]) -> [Conflict] {
    if ids.isEmpty { return [] }
    // Conflicts that cannot be read are listed, or reported, on request.
    let lasting = (try? ConflictTable(connection).lasting(ids)) ?? [:]
    return ids.compactMap { lasting[$0] }
  }
}
