import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// What a batch has done to rows, for its report, and for references and rows that are not visible as they
/// really are, which these changes may concern.
final class AppliedChanges {
  private let schema: ReplicatedSchema
  private let constraints: ConstraintSet
  private let exceptions: Exceptions
  let references: ReferenceCheck
  /// For each table, the column of its key; -1 if the key has several columns. Walking through a list of keys
  /// for each row would count references to it.
  private let onlyKeys: [Int]
  // Both are accessed from one method at a time; checking that for every row would cost more than its key.
  /// What has been applied since the last `takeAll`, by table.
  @exclusivity(unchecked) private var changes: [TableChanges]
  @exclusivity(unchecked) private var key = ByteBuffer()

  init(_ connection: Connection, _ constraints: ConstraintSet, _ exceptions: Exceptions) {
    schema = constraints.schema
    self.constraints = constraints
    self.exceptions = exceptions
    references = ReferenceCheck(connection, constraints)
    onlyKeys = schema.tables.map { table in
      let keys = table.shape.keys
      return keys.count == 1 ? keys[0].column : -1
    }
    changes = schema.tables.map { _ in TableChanges() }
  }

  /// Returns what was inserted, updated and deleted since the last call, for tables with changes.
  func takeAll() -> [(table: String, changes: TableChanges)] {
    defer { changes = schema.tables.map { _ in TableChanges() } }
    return zip(schema.tables, changes).filter { !$0.1.isEmpty }.map { ($0.0.name, $0.1) }
  }

  /// Returns how many of a table's columns, starting with the first, `note` reads from an inserted row.
  func insertedColumns(_ table: Int) -> Int {
    let shape = schema.tables[table].shape
    if exceptions.isConnected(table) { return shape.columns.count }
    let read = shape.keys.map(\.column) + references.childColumns(of: table)
    return (read.max() ?? -1) + 1
  }

  /// Adds what was done to a row that is in no list yet.
  func note(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, _ table: Int
  ) {
    guard effect != .none else { return }
    key.removeAll()
    let only = onlyKeys[table]
    if only >= 0 {
      key.append(cells[only])
      changes[table].append(key.bytes, effect, width: 1)
    } else {
      let keys = schema.tables[table].shape.keys
      for part in keys { key.append(cells[part.column]) }
      changes[table].append(key.bytes, effect, width: keys.count)
    }
    references.note(effect, cells, table: table)
    if exceptions.isConnected(table) { noteConcern(effect, cells, table) }
  }

  /// Records what may concern rows that are not visible as they really are.
  private func noteConcern(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, _ table: Int
  ) {
    let mayConcern =
      effect != .updated
      || cells.indices.contains {
        cells[$0].kind != .absent && constraints.mayConcernOthers(table: table, column: $0)
      }
    guard mayConcern else { return }
    exceptions.didChange(
      table: table, key: schema.tables[table].shape.keys.map { cells[$0.column].value ?? .null },
      isNew: effect == .inserted)
  }

  /// Adds a row that is back in its table.
  func note(back row: Resolver.Lifted, _ table: Int) {
    let key = schema.tables[table].key(of: row.row)
    bytes(of: key).withUnsafeBytes {
      changes[table].append($0, row.shown == nil ? .inserted : .updated, width: key.count)
    }
    references.note(row.row, table: table, wasShown: row.shown != nil)
    exceptions.didChange(table: table, key: key, isNew: false)
  }

  /// Adds what the constraints have done to rows, whether or not these were already written in this
  /// transaction.
  func note(_ outcome: ResolverOutcome) {
    for (table, list) in Dictionary(grouping: outcome.changes, by: \.table) {
      let later = list.map { change -> (key: [UInt8], effect: RowApplier.Effect) in
        let effect: RowApplier.Effect =
          switch change.effect {
          case .inserted: .inserted
          case .updated: .updated
          case .deleted: .deleted
          }
        return (bytes(of: change.key), effect)
      }
      changes[table].follow(later, width: schema.tables[table].shape.keys.count)
    }
  }

  /// Returns a key in the log format.
  private func bytes(of key: [Value]) -> [UInt8] {
    self.key.removeAll()
    for value in key { self.key.append(value) }
    return Array(self.key.bytes)
  }
}
