import CSQLite
import TributaryCore
import TributaryTesting

/// SQLite in memory, with as little code as can be.
final class Database {
  struct Failure: Error { var message: String }

  /// What the preupdate hook tells: deleted, or inserted, with its key.
  struct RowEvent {
    var isDelete: Bool
    var row: ReferenceRowIdentity
  }

  let handle: OpaquePointer
  let schema: ReferenceSchema
  var events: [RowEvent] = []

  init(schema: ReferenceSchema, createStatements: [String]) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else {
      throw Failure(message: "cannot open")
    }
    handle = opened
    self.schema = schema
    for statement in createStatements { _ = try run(statement) }
  }

  deinit { sqlite3_close_v2(handle) }

  /// Rows of values, or `nil` if a constraint was in the way.
  func run(_ sql: String, _ parameters: [Value] = []) throws -> [[Value]]? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
    }
    guard Int(sqlite3_bind_parameter_count(statement)) == parameters.count else {
      throw Failure(message: "\(parameters.count) parameters for \(sql)")
    }
    for (index, value) in parameters.enumerated() {
      bind(value, to: statement!, at: Int32(index + 1))
    }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map {
            Self.value(sqlite3_column_value(statement, $0))
          })
      case SQLITE_DONE: return rows
      // The latter for NULL in a row id.
      case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return nil
      default: throw Failure(message: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
      }
    }
  }

  private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let bytes):
      // An empty array has no address, and no address means NULL.
      (bytes + [0]).withUnsafeBytes {
        _ = tributary_bind_text(statement, index, $0.baseAddress, UInt64(bytes.count), 1)
      }
    case .blob(let bytes):
      (bytes + [0]).withUnsafeBytes {
        _ = tributary_bind_blob(statement, index, $0.baseAddress, UInt64(bytes.count), 1)
      }
    }
  }

  static func value(_ value: OpaquePointer?) -> Value {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_NULL: return .null
    case SQLITE_TEXT:
      let start = sqlite3_value_text(value)
      return .text(
        Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
    default:
      let start = sqlite3_value_blob(value)
      return .blob(
        Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
    }
  }

  func contents() throws -> ReferenceContents {
    var contents = ReferenceContents()
    for table in schema.tables {
      let names = table.columns.map(\.name)
      for row in try run("SELECT \(names.joined(separator: ", ")) FROM \(table.name)") ?? [] {
        contents.insert(Dictionary(uniqueKeysWithValues: zip(names, row)), into: table)
      }
    }
    return contents
  }

  /// Runs the write, and returns the keys that the hook saw going and coming back, how many
  /// statements failed, and whether it could be committed.
  func perform(_ write: RandomWrite) throws -> (
    reinserted: Set<ReferenceRowIdentity>, failures: Int, committed: Bool
  ) {
    events = []
    var failures = 0
    var marks: [Int] = []
    watch()
    _ = try run("BEGIN")
    for statement in write.statements {
      let start = events.count
      if try run(statement.sql, statement.parameters) == nil {
        failures += 1
        if !statement.sql.contains("OR FAIL") { events.removeLast(events.count - start) }
      }
      switch statement.effect {
      case .savepoint: marks.append(events.count)
      case .rollbackToSavepoint: events.removeLast(events.count - marks.last!)
      case .releaseSavepoint: marks.removeLast()
      default: break
      }
    }
    let committed = try run("COMMIT") != nil
    if !committed { _ = try run("ROLLBACK") }
    var deleted: Set<ReferenceRowIdentity> = []
    var reinserted: Set<ReferenceRowIdentity> = []
    for event in events {
      if event.isDelete {
        deleted.insert(event.row)
      } else if deleted.contains(event.row) {
        reinserted.insert(event.row)
      }
    }
    return (reinserted, failures, committed)
  }

  private func watch() {
    sqlite3_preupdate_hook(
      handle,
      { context, handle, operation, _, name, _, _ in
        let database = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
        let table = database.schema[String(cString: name!)]
        func key(new: Bool) -> [Value] {
          table.keyColumns.map { column in
            let index = Int32(table.columns.firstIndex { $0.name == column.name }!)
            var value: OpaquePointer?
            _ =
              new
              ? sqlite3_preupdate_new(handle, index, &value)
              : sqlite3_preupdate_old(handle, index, &value)
            return Database.value(value)
          }
        }
        func identity(new: Bool) -> ReferenceRowIdentity {
          ReferenceRowIdentity(table: table.name, key: table.canonical(key(new: new)))
        }
        switch operation {
        case SQLITE_INSERT:
          database.events.append(RowEvent(isDelete: false, row: identity(new: true)))
        case SQLITE_DELETE:
          database.events.append(RowEvent(isDelete: true, row: identity(new: false)))
        default:
          guard !zip(key(new: false), key(new: true)).allSatisfy({ $0.isIdentical(to: $1) }) else {
            return
          }
          database.events += [
            RowEvent(isDelete: true, row: identity(new: false)),
            RowEvent(isDelete: false, row: identity(new: true)),
          ]
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
