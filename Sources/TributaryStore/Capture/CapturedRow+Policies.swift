import CSQLite
import TributaryCore
import TributaryLog

/// Capture for tables that merge by row, or that have columns with a policy.
///
/// Violations of a policy are not judged here: they may be corrected before the commit, which compares the
/// doubtful rows themselves.
extension CapturedRow {
  /// Captures an update that keeps the key.
  mutating func updateByPolicy() {
    let start = state.pointee.changes.count
    state.pointee.changes.appendChangeHead(.update, shape: table.pointee.shape)
    var unchanged = 0
    var isChanged = false
    var isDoubtful = false
    for column in table.pointee.columns {
      if column.isKey {
        state.pointee.changes.appendAbsent(count: unchanged)
        unchanged = 0
        append(updatedValueOf: column)
        continue
      }
      let new = newValue(column.updatedIndex)
      let old = oldValue(column.index)
      if column.isDisplaced, areEqualNumbers(old, new) {
        isDoubtful = true
        isChanged = true
      } else if !areIdentical(old, new, asReals: column.isReal) {
        isChanged = true
      } else if !table.pointee.mergesByRow || column.policy == .counter {
        // Nothing is added to the sum, so NULL stays NULL.
        unchanged += 1
        continue
      }
      state.pointee.changes.appendAbsent(count: unchanged)
      unchanged = 0
      switch column.policy {
      case .latest, .last: append(new, column)
      case .counter:
        if let new = integer(new), let old = count(old) {
          state.pointee.changes.appendInteger(new &- old)
        } else {
          isDoubtful = true
          append(new, column)
        }
      case .max, .min:
        if !column.policy.prevails(value(new, column), over: value(old, column)) {
          isDoubtful = true
        }
        append(new, column)
      }
    }
    state.pointee.changes.appendAbsent(count: unchanged)
    guard isChanged else { return state.pointee.changes.truncate(to: start) }
    state.pointee.count += 1
    if isDoubtful { state.pointee.doubt(from: start) }
  }

  /// Marks an inserted row as doubtful if its counters do not count.
  mutating func checkCounters(from start: Int, isUpdate: Bool = false) {
    for column in table.pointee.columns where column.policy == .counter {
      if count(newValue(isUpdate ? column.updatedIndex : column.index)) == nil {
        return state.pointee.doubt(from: start)
      }
    }
  }

  /// Returns the value of a counter, with NULL as 0; `nil` for anything but integers.
  private func count(_ value: OpaquePointer?) -> Int64? {
    guard let value else { return nil }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return sqlite3_value_int64(value)
    case SQLITE_NULL: return 0
    default: return nil
    }
  }

  private func integer(_ value: OpaquePointer?) -> Int64? {
    guard let value, sqlite3_value_type(value) == SQLITE_INTEGER else { return nil }
    return sqlite3_value_int64(value)
  }

  private func value(_ value: OpaquePointer?, _ column: CaptureTable.Column) -> Value {
    guard let value else { return .null }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let integer = sqlite3_value_int64(value)
      return column.isReal ? .real(Double(integer)) : .integer(integer)
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = UnsafeRawPointer(sqlite3_value_text(value))
      return .text(bytes(start, sqlite3_value_bytes(value)))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      return .blob(bytes(start, sqlite3_value_bytes(value)))
    default: return .null
    }
  }

  private func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
  }
}
