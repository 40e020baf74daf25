import CSQLite
import Glibc
import TributaryCore
import TributaryLog

/// One call of the hook: reads the row from SQLite and appends the change.
struct CapturedRow {
  let state: UnsafeMutablePointer<CaptureState>
  let table: UnsafeMutablePointer<CaptureTable>
  let db: OpaquePointer
  /// The row identifier after an insert or update.
  let newKey: Int64
  var hasNullKey = false
  var failure = SQLITE_OK

  mutating func insert() {
    if table.pointee.setsOwnColumns, !state.pointee.mayMiscount {
      state.pointee.mayMiscount = refersToOwnTable()
    }
    let start = state.pointee.changes.count
    state.pointee.changes.appendChangeHead(.insert, shape: table.pointee.shape)
    state.pointee.count += 1
    for column in table.pointee.columns {
      if column.isKey, table.pointee.hasRowIdentifierKey {
        state.pointee.changes.appendInteger(newKey)
      } else {
        append(newValue(column.index), column)
      }
    }
    if !table.pointee.isPlain { checkCounters(from: start) }
  }

  mutating func delete(key: Int64) {
    state.pointee.changes.appendChangeHead(.delete, shape: table.pointee.shape)
    state.pointee.count += 1
    if table.pointee.hasRowIdentifierKey {
      // The row itself need not be read.
      state.pointee.changes.appendInteger(key)
    } else {
      for position in table.pointee.keys {
        let column = table.pointee.columns[position]
        append(oldValue(column.index), column)
      }
    }
  }

  /// Captures an update or, if the key changes, a delete and an insert.
  mutating func update(movesRow: Bool, oldKey: Int64) {
    if table.pointee.selfReferences.count > 0, !state.pointee.mayMiscount {
      state.pointee.mayMiscount =
        table.pointee.setsOwnColumns || comesToReferToItself(oldKey: oldKey)
    }
    if movesRow && table.pointee.hasRowIdentifierKey || changesKey() {
      delete(key: oldKey)
      let start = state.pointee.changes.count
      state.pointee.changes.appendChangeHead(.insert, shape: table.pointee.shape)
      state.pointee.count += 1
      for column in table.pointee.columns { append(updatedValueOf: column) }
      if !table.pointee.isPlain { checkCounters(from: start, isUpdate: true) }
      return
    }
    if !table.pointee.isPlain { return updateByPolicy() }
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
      } else if areIdentical(old, new, asReals: column.isReal) {
        unchanged += 1
        continue
      }
      isChanged = true
      state.pointee.changes.appendAbsent(count: unchanged)
      unchanged = 0
      append(new, column)
    }
    state.pointee.changes.appendAbsent(count: unchanged)
    if isChanged {
      state.pointee.count += 1
      // The commit compares the rows themselves.
      if isDoubtful { state.pointee.doubt(from: start) }
    } else {
      state.pointee.changes.truncate(to: start)
    }
  }

  private mutating func changesKey() -> Bool {
    if table.pointee.hasRowIdentifierKey { return false }
    for position in table.pointee.keys {
      let column = table.pointee.columns[position]
      if !areIdentical(
        oldValue(column.index), newValue(column.updatedIndex), asReals: column.isReal)
      {
        return true
      }
    }
    return false
  }

  mutating func newValue(_ index: Int32) -> OpaquePointer? {
    var value: OpaquePointer?
    let code = sqlite3_preupdate_new(db, index, &value)
    if code != SQLITE_OK { failure = code }
    return value
  }

  mutating func oldValue(_ index: Int32) -> OpaquePointer? {
    var value: OpaquePointer?
    let code = sqlite3_preupdate_old(db, index, &value)
    if code != SQLITE_OK { failure = code }
    return value
  }

  mutating func append(updatedValueOf column: CaptureTable.Column) {
    if column.isKey, table.pointee.hasRowIdentifierKey {
      state.pointee.changes.appendInteger(newKey)
    } else {
      append(newValue(column.updatedIndex), column)
    }
  }

  mutating func append(_ value: OpaquePointer?, _ column: CaptureTable.Column) {
    // The value was not read; the commit will be refused.
    guard let value else { return state.pointee.changes.appendNull() }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      // SQLite stores integral values of REAL columns as integers, and not every hook converts them back.
      if column.isReal {
        state.pointee.changes.appendReal(Double(sqlite3_value_int64(value)))
      } else {
        state.pointee.changes.appendInteger(sqlite3_value_int64(value))
      }
    case SQLITE_FLOAT: state.pointee.changes.appendReal(sqlite3_value_double(value))
    case SQLITE_TEXT:
      // If text is requested, SQLite allocates a copy that ends with NUL; if a blob is requested, it does
      // not.
      let text =
        state.pointee.isUTF8
        ? sqlite3_value_blob(value) : UnsafeRawPointer(sqlite3_value_text(value))
      state.pointee.changes.appendText(text, count: Int(sqlite3_value_bytes(value)))
    case SQLITE_BLOB:
      let blob = sqlite3_value_blob(value)
      state.pointee.changes.appendBlob(blob, count: Int(sqlite3_value_bytes(value)))
    default:
      state.pointee.changes.appendNull()
      if column.isKey { hasNullKey = true }
    }
  }

  func areIdentical(_ a: OpaquePointer?, _ b: OpaquePointer?, asReals: Bool) -> Bool {
    guard let a, let b else { return false }
    let type = sqlite3_value_type(a)
    let other = sqlite3_value_type(b)
    if asReals, type == SQLITE_INTEGER || other == SQLITE_INTEGER {
      return type != SQLITE_NULL && other != SQLITE_NULL && type <= SQLITE_FLOAT
        && other <= SQLITE_FLOAT
        && sqlite3_value_double(a).bitPattern == sqlite3_value_double(b).bitPattern
    }
    guard type == other else { return false }
    switch type {
    case SQLITE_INTEGER: return sqlite3_value_int64(a) == sqlite3_value_int64(b)
    case SQLITE_FLOAT:
      return sqlite3_value_double(a).bitPattern == sqlite3_value_double(b).bitPattern
    case SQLITE_TEXT where !state.pointee.isUTF8:
      return areEqual(sqlite3_value_text(a), sqlite3_value_text(b), count(a), count(b))
    case SQLITE_TEXT, SQLITE_BLOB:
      return areEqual(sqlite3_value_blob(a), sqlite3_value_blob(b), count(a), count(b))
    default: return true
    }
  }

  /// Whether two values are the same number, where the old one is a real and may have been read from an
  /// integer.
  func areEqualNumbers(_ old: OpaquePointer?, _ new: OpaquePointer?) -> Bool {
    guard let old, let new else { return false }
    let type = sqlite3_value_type(new)
    return sqlite3_value_type(old) == SQLITE_FLOAT
      && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
      && sqlite3_value_double(old) == sqlite3_value_double(new)
  }

  private func count(_ value: OpaquePointer?) -> Int { Int(sqlite3_value_bytes(value)) }

  private func areEqual(
    _ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?, _ aCount: Int, _ bCount: Int
  ) -> Bool {
    guard aCount == bCount else { return false }
    guard let a, let b else { return aCount == 0 }
    return memcmp(a, b, aCount) == 0
  }
}
