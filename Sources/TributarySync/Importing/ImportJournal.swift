import TributaryCore
import TributarySQLite

/// The latest imports, kept in the store for other processes that use it.
struct ImportJournal {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Older imports than this many are forgotten.
  private static let limit: Int64 = 100

  func append(_ imported: SyncReport.Imported, milliseconds: UInt64) throws {
    var json = JSONWriter()
    imported.write(to: &json)
    try connection.cached("INSERT INTO tributary_import (time, changes) VALUES (?, ?)")
      .run(.integer(Int64(clamping: milliseconds)), .text(json.bytes))
    try connection.cached(
      "DELETE FROM tributary_import WHERE id <= (SELECT max(id) FROM tributary_import) - ?"
    ).run(.integer(Self.limit))
  }
}
