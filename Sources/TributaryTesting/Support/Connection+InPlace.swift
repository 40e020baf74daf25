import CSQLite
package import TributarySQLite

extension Connection {
  /// Writes to a blob in place, without any statement and without firing a trigger.
  ///
  /// Source: https://www.sqlite.org/c3ref/blob_write.html
  package func writeInPlace(
    table: String, column: String, row: Int64, _ bytes: [UInt8], at offset: Int32
  ) throws(SQLiteError) {
    var blob: OpaquePointer?
    var code = sqlite3_blob_open(handle, "main", table, column, row, 1, &blob)
    if code == SQLITE_OK {
      code = sqlite3_blob_write(blob, bytes, Int32(bytes.count), offset)
    }
    let closed = sqlite3_blob_close(blob)
    guard code == SQLITE_OK, closed == SQLITE_OK else {
      throw SQLiteError(
        code: code == SQLITE_OK ? closed : code, message: String(cString: sqlite3_errmsg(handle)),
        path: path)
    }
  }
}
