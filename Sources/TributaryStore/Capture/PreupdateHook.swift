import CSQLite
import Glibc
import TributaryCore
import TributaryLog
import TributarySQLite

/// Encodes each row change of the writer connection as it happens.
///
/// Source: https://www.sqlite.org/c3ref/preupdate_blobwrite.html
enum PreupdateHook {
  static func install(on connection: Connection, state: UnsafeMutablePointer<CaptureState>) {
    sqlite3_preupdate_hook(
      connection.handle,
      { context, db, operation, schema, table, oldKey, newKey in
        guard let context, let db, let schema, let table else { return }
        let state = context.assumingMemoryBound(to: CaptureState.self)
        if state.pointee.touched.isNoting { state.pointee.touched.note(schema, table) }
        // A temporary table may have the same name as another table.
        if state.pointee.isActive, strcmp(schema, "main") == 0 {
          PreupdateHook.capture(state, db, operation, table, oldKey, newKey)
        }
      }, state)
  }

  static func remove(from connection: Connection) {
    sqlite3_preupdate_hook(connection.handle, nil, nil)
  }

  private static func capture(
    _ state: UnsafeMutablePointer<CaptureState>, _ db: OpaquePointer, _ operation: Int32,
    _ name: UnsafePointer<CChar>, _ oldKey: Int64, _ newKey: Int64
  ) {
    guard let index = find(state, name) else { return }
    let table = state.pointee.tables.baseAddress.unsafelyUnwrapped + index
    guard !table.pointee.isRefused else {
      state.pointee.refuse(.unusable(table: String(cString: table.pointee.name)))
      return
    }
    // Ascending row identifiers cannot repeat; anything else is examined at the commit.
    if table.pointee.hasRowIdentifierKey, operation != SQLITE_UPDATE || oldKey == newKey,
      newKey > table.pointee.lastKey
    {
      table.pointee.lastKey = newKey
    } else {
      table.pointee.isAscending = false
    }
    var row = CapturedRow(state: state, table: table, db: db, newKey: newKey)
    switch operation {
    case SQLITE_INSERT: row.insert()
    case SQLITE_DELETE: row.delete(key: oldKey)
    default: row.update(movesRow: oldKey != newKey, oldKey: oldKey)
    }
    if row.hasNullKey {
      state.pointee.refuse(.nullInKey(table: String(cString: table.pointee.name)))
    }
    if row.failure != SQLITE_OK { state.pointee.refuse(.sqlite(row.failure)) }
  }

  private static func find(
    _ state: UnsafeMutablePointer<CaptureState>, _ name: UnsafePointer<CChar>
  ) -> Int? {
    let tables = state.pointee.tables
    let current = state.pointee.currentTable
    if current < tables.count, sqlite3_stricmp(tables[current].name, name) == 0 { return current }
    for index in tables.indices where sqlite3_stricmp(tables[index].name, name) == 0 {
      state.pointee.currentTable = index
      return index
    }
    return nil
  }
}
