import TributaryCore
import TributaryLog
import TributarySQLite

/// Adds to the net effect of a transaction what it states about rows that it did not change.
///
/// A record has at most one item per row. If a row already has an item that is an update, the update is
/// completed with the missing columns or becomes a whole row; any other item is sufficient as it is. Counters
/// are left out: a record contains only by how much they change.
struct SettlementWriter {
  /// The current tables.
  let schema: ReplicatedSchema
  let registry: ShapeRegistry
  /// A connection that sees the open transaction.
  let now: Connection
  let shapeNumbers: [SQLName: UInt32]

  private struct Wish {
    let table: TableDescription
    let key: [Value]
    /// The names of the columns.
    var columns: Set<SQLName> = []
    var isDeletion = false
    var isWhole = false
    var isFulfilled = false

    /// Whether the whole row is replaced. In a table with policies, that would restart columns in
    /// which other devices count.
    var replaces: Bool { isWhole && !table.hasPolicies }

    /// Whether to write a column of the table.
    func includes(_ column: Int) -> Bool {
      if isWhole { return table.policies[column].takesLatest }
      guard table.policies[column] != .counter, !columns.isEmpty else { return false }
      return table.mergesByRow || columns.contains(SQLName(table.shape.columns[column]))
    }
  }

  /// Appends `changes` and the items that settle the rows.
  ///
  /// - Complexity: O(changes).
  func add(
    _ settlements: [Settlement], to changes: UnsafeRawBufferPointer, into result: inout ByteBuffer
  ) throws {
    var index = RowKeyIndex()
    var wishes: [Wish] = []
    var key = ByteBuffer()
    for settlement in settlements {
      guard
        let number = schema.tables.firstIndex(where: {
          SQLName($0.name) == SQLName(settlement.table)
        })
      else {
        continue
      }
      let table = schema.tables[number]
      key.removeAll()
      try RowKeyEncoder(shape: table.shape).encode(settlement.key, into: &key)
      let place = index.insert(key.bytes, table: UInt32(number)).number
      if place == wishes.count { wishes.append(Wish(table: table, key: settlement.key)) }
      wishes[place].columns.formUnion(settlement.columns.map { SQLName($0) })
      if settlement.isDeletion { wishes[place].isDeletion = true }
      if settlement.isWhole { wishes[place].isWhole = true }
    }
    try copy(changes, index, &wishes, into: &result)
    for wish in wishes where !wish.isFulfilled { try append(wish, into: &result) }
  }

  private func copy(
    _ changes: UnsafeRawBufferPointer, _ index: borrowing RowKeyIndex, _ wishes: inout [Wish],
    into result: inout ByteBuffer
  ) throws {
    var encoders: [UInt32: (encoder: RowKeyEncoder, table: UInt32)] = [:]
    for (number, shape) in registry.shapes {
      if let table = schema.tables.firstIndex(where: {
        SQLName($0.name) == SQLName(shape.table)
      }) {
        encoders[number] = (RowKeyEncoder(shape: shape), UInt32(table))
      }
    }
    var reader = ChangeListReader(changes)
    var key = ByteBuffer()
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      let item = UnsafeRawBufferPointer(rebasing: changes[offset..<reader.offset])
      offset = reader.offset
      guard let known = encoders[change.shapeID] else {
        result.append(item)
        continue
      }
      key.removeAll()
      try known.encoder.encode(change.operation, image: change.image, into: &key)
      guard let place = index.number(of: key.bytes, table: known.table) else {
        result.append(item)
        continue
      }
      wishes[place].isFulfilled = true
      let isSaid = wishes[place].columns.isEmpty && !wishes[place].isWhole
      if change.operation == .update, !isSaid {
        try complete(change, known.encoder.shape, with: wishes[place], into: &result)
      } else {
        result.append(item)
      }
    }
  }

  /// Appends an update with its own columns and the requested ones.
  private func complete(
    _ change: ChangeView, _ shape: TableShape, with wish: Wish, into result: inout ByteBuffer
  ) throws {
    guard let number = shapeNumbers[SQLName(wish.table.name)], let row = try row(wish) else {
      return
    }
    if wish.replaces {
      result.appendChangeHead(.replace, shape: number)
      for value in row { result.append(value) }
      return
    }
    var given: [SQLName: Value] = [:]
    var cursor = change.values
    for name in shape.columns {
      if let value = try cursor.next().value { given[SQLName(name)] = value }
    }
    // In the current shape of the table, which may have more columns.
    result.appendChangeHead(.update, shape: number)
    var absent = 0
    for (column, name) in wish.table.shape.columns.enumerated() {
      append(
        given[SQLName(name)] ?? (wish.includes(column) ? row[column] : nil), &absent, &result)
    }
    result.appendAbsent(count: absent)
  }

  private func append(_ wish: Wish, into result: inout ByteBuffer) throws {
    let shape = wish.table.shape
    guard let number = shapeNumbers[SQLName(wish.table.name)] else { return }
    guard let row = try row(wish) else {
      guard wish.isDeletion else { return }
      result.appendChangeHead(.delete, shape: number)
      for value in wish.key { result.append(value) }
      return
    }
    if wish.replaces {
      result.appendChangeHead(.replace, shape: number)
      for value in row { result.append(value) }
      return
    }
    let columns = shape.columns.indices.filter(wish.includes)
    guard !columns.isEmpty else { return }
    let written = Set(shape.keys.map(\.column)).union(columns)
    result.appendChangeHead(.update, shape: number)
    var absent = 0
    for column in row.indices {
      append(written.contains(column) ? row[column] : nil, &absent, &result)
    }
    result.appendAbsent(count: absent)
  }

  /// Returns the requested row: as its table shows it, or all of it if the whole row is to be written.
  private func row(_ wish: Wish) throws -> [Value]? {
    let shown = try RowReader(wish.table).row(wish.key, in: now)
    // A held row may be settled like a visible one, except by a deletion.
    guard wish.isWhole || shown == nil && !wish.isDeletion,
      let number = schema.tableNumber(named: wish.table.name)
    else { return shown }
    let held = HeldTable(now, schema: schema)
    guard let entry = try held.entry(wish.table.identity(key: wish.key, number: number)) else {
      return shown
    }
    return try entry.isHeld ? held.row(entry) : shown.map { wish.table.row($0, with: entry.cells) }
  }

  private func append(_ value: Value?, _ absent: inout Int, _ result: inout ByteBuffer) {
    guard let value else {
      absent += 1
      return
    }
    result.appendAbsent(count: absent)
    absent = 0
    result.append(value)
  }
}
