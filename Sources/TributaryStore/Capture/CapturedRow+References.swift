import CSQLite
import Glibc

extension CapturedRow {
  /// Whether an inserted row refers to a row of its own table.
  mutating func refersToOwnTable() -> Bool {
    for pair in table.pointee.selfReferences {
      guard case .index(let child) = pair.child, let value = newValue(child) else { return true }
      if sqlite3_value_type(value) != SQLITE_NULL { return true }
    }
    return false
  }

  /// Whether the row, as it was, may refer to the key that it has now.
  ///
  /// - Parameter oldKey: its row identifier, as it was.
  mutating func comesToReferToItself(oldKey: Int64) -> Bool {
    var isEqual = true
    for pair in table.pointee.selfReferences {
      if isEqual {
        isEqual =
          switch (pair.child, pair.parent) {
          case (.none, _), (_, .none): true
          case (.index(let child), .index(let parent)):
            mayBeEqual(oldValue(child), newValue(parent))
          case (.index(let child), .rowIdentifier): mayBeEqual(oldValue(child), newKey)
          case (.rowIdentifier, .index(let parent)): mayBeEqual(newValue(parent), oldKey)
          case (.rowIdentifier, .rowIdentifier): oldKey == newKey
          }
      }
      if pair.isLast {
        if isEqual { return true }
        isEqual = true
      }
    }
    return false
  }

  private func mayBeEqual(_ value: OpaquePointer?, _ number: Int64) -> Bool {
    guard let value else { return true }
    return switch sqlite3_value_type(value) {
    case SQLITE_NULL: false
    case SQLITE_INTEGER: sqlite3_value_int64(value) == number
    case SQLITE_FLOAT: sqlite3_value_double(value) == Double(number)
    default: true
    }
  }

  /// Whether two values may be equal under any affinity and built-in collation of SQLite.
  private func mayBeEqual(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Bool {
    guard let a, let b else { return true }
    switch (sqlite3_value_type(a), sqlite3_value_type(b)) {
    case (SQLITE_NULL, _), (_, SQLITE_NULL): return false
    case (SQLITE_INTEGER, SQLITE_INTEGER): return sqlite3_value_int64(a) == sqlite3_value_int64(b)
    case (SQLITE_INTEGER, SQLITE_FLOAT), (SQLITE_FLOAT, SQLITE_INTEGER),
      (SQLITE_FLOAT, SQLITE_FLOAT):
      return sqlite3_value_double(a) == sqlite3_value_double(b)
    case (SQLITE_TEXT, SQLITE_TEXT):
      return mayBeEqualTexts(a, b)
    case (SQLITE_BLOB, SQLITE_BLOB): return areIdentical(a, b, asReals: false)
    default: return true
    }
  }

  /// Whether two texts differ at most in upper and lower case and in trailing spaces.
  private func mayBeEqualTexts(_ a: OpaquePointer, _ b: OpaquePointer) -> Bool {
    guard let first = sqlite3_value_text(a), let second = sqlite3_value_text(b) else { return true }
    let (count, other) = (Int(sqlite3_value_bytes(a)), Int(sqlite3_value_bytes(b)))
    let common = min(count, other)
    let isSame = first.withMemoryRebound(to: CChar.self, capacity: count) { first in
      second.withMemoryRebound(to: CChar.self, capacity: other) { second in
        sqlite3_strnicmp(first, second, Int32(common)) == 0
      }
    }
    let rest = UnsafeBufferPointer(start: count > other ? first : second, count: max(count, other))
    return isSame && rest[common...].allSatisfy { $0 == UInt8(ascii: " ") }
  }
}
