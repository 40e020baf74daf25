import CSQLite
import TributaryCore

extension Statement {
  // SQLite returns NULL for a column that does not exist.

  /// The type of a stored value.
  package enum ValueType: Sendable {
    case null, integer, real, text, blob
  }

  package func type(_ column: Int) -> ValueType {
    switch sqlite3_column_type(handle, Int32(clamping: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
  }

  package func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(clamping: column))
  }

  package func real(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(clamping: column))
  }

  /// Returns the bytes of a text or blob; valid until the next step or reset.
  package func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    // The pointer first: requesting it may convert the value, and the count applies to the result.
    let start = sqlite3_column_blob(handle, Int32(clamping: column))
    return UnsafeRawBufferPointer(
      start: start,
      count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(clamping: column))))
  }

  /// Returns the text of a column, with invalid UTF-8 repaired. Use it for names, never for stored
  /// values.
  package func string(_ column: Int) -> String {
    String(decoding: textBytes(column), as: UTF8.self)
  }

  @usableFromInline package func value(_ column: Int) -> Value {
    switch type(column) {
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(textBytes(column))
    case .blob: .blob(Array(bytes(column)))
    case .null: .null
    }
  }

  /// All values of the current row.
  package var values: [Value] { (0..<columnCount).map(value) }

  private func textBytes(_ column: Int) -> [UInt8] {
    // As text, because in a UTF-16 database this converts.
    guard let start = sqlite3_column_text(handle, Int32(clamping: column)) else { return [] }
    return Array(
      UnsafeBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(handle, Int32(clamping: column)))))
  }
}
