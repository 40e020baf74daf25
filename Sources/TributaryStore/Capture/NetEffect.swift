import TributaryCore
import TributaryLog
import TributarySQLite

/// Reduces the captured changes of a transaction to its net effect per row.
///
/// Rows changed once are copied. For the others, and for rows of statements that were undone, the
/// row as it was before the transaction, which another connection still sees, is compared with the
/// row as it is now.
struct NetEffect {
  /// The tables as they are now.
  let schema: ReplicatedSchema
  let registry: ShapeRegistry
  /// Sees the last commit.
  let before: Connection
  /// Sees the open transaction.
  let now: Connection
  let shapeNumbers: [String: UInt32]
  /// Rows with NULL in their key came and went.
  let hasNullKeys: Bool

  private struct Row {
    var touches = 0
    /// A row was deleted or inserted under this key by a statement that was not undone.
    var isPut = false
  }

  func compute(
    _ changes: UnsafeRawBufferPointer, undone: [Range<Int>], into result: inout ByteBuffer
  ) throws {
    var index = RowKeyIndex()
    var rows: [Row] = []
    var isUndoneOnly: [Bool] = []
    try walk(changes) { item, number, key in
      let place = index.insert(key, table: number).number
      if place == rows.count {
        rows.append(Row())
        isUndoneOnly.append(false)
      }
      rows[place].touches += 1
      if undone.contains(where: { $0.contains(item.offset) }) {
        isUndoneOnly[place] = true
      } else if item.change.operation != .update {
        rows[place].isPut = true
      }
    }
    if !hasNullKeys, !isUndoneOnly.contains(true), rows.allSatisfy({ $0.touches == 1 }) {
      result.append(changes)
      return
    }
    try walk(changes) { item, number, key in
      guard let place = index.number(of: key, table: number) else { return }
      if rows[place].touches == 1, !isUndoneOnly[place] {
        result.append(UnsafeRawBufferPointer(rebasing: changes[item.offset..<item.end]))
      } else if rows[place].touches > 0 {
        // Once for each row.
        rows[place].touches = 0
        try compare(item.change, isPut: rows[place].isPut, into: &result)
      }
    }
  }

  private struct Item {
    var change: ChangeView
    var offset: Int
    var end: Int
  }

  /// Hands out each change with a number for its table and the bytes of its key.
  private func walk(
    _ changes: UnsafeRawBufferPointer,
    _ body: (Item, UInt32, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var encoders: [UInt32: (encoder: RowKeyEncoder, table: UInt32)] = [:]
    var tableNumbers: [String: UInt32] = [:]
    for (number, shape) in registry.shapes {
      let next = UInt32(tableNumbers.count)
      let table = tableNumbers[shape.table.lowercased(), default: next]
      tableNumbers[shape.table.lowercased()] = table
      encoders[number] = (RowKeyEncoder(shape: shape), table)
    }
    var reader = ChangeListReader(changes)
    var key = ByteBuffer()
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      guard let known = encoders[change.shapeID] else { continue }
      defer { offset = reader.offset }
      // Such a row is gone again, or the commit would have been refused.
      if hasNullKeys, let shape = registry.shapes[change.shapeID],
        try shape.key(change.operation, image: change.image).contains(.null)
      {
        continue
      }
      key.removeAll()
      try known.encoder.encode(change.operation, image: change.image, into: &key)
      try body(Item(change: change, offset: offset, end: reader.offset), known.table, key.bytes)
    }
  }

  /// Appends what became of a row, if anything did.
  private func compare(
    _ change: ChangeView, isPut: Bool, into result: inout ByteBuffer
  ) throws {
    // The rows of a table that was dropped went with it.
    guard let shape = registry.shapes[change.shapeID], let table = schema.table(named: shape.table),
      let number = shapeNumbers[table.name]
    else { return }
    let key = try shape.key(change.operation, image: change.image)
    let reader = RowReader(table)
    let current = try reader.row(key, in: now)
    let old: [Value]?
    do {
      old = try reader.row(key, in: before)
    } catch {
      // The table did not have these columns before: to say too much of a row is harmless.
      if let current {
        appendInsert(current, number, &result)
      } else {
        appendDelete(key, number, &result)
      }
      return
    }
    switch (old, current) {
    case (nil, nil): break
    case (let old?, nil): appendDelete(table.shape.keys.map { old[$0.column] }, number, &result)
    case (nil, let current?): appendInsert(current, number, &result)
    case (let old?, let current?):
      guard !zip(old, current).allSatisfy({ $0.hasSameBits(as: $1) }) else { break }
      if isPut {
        appendInsert(current, number, &result, as: .replace)
      } else {
        appendUpdate(old, current, table.shape, number, &result)
      }
    }
  }

  private func appendDelete(_ key: [Value], _ number: UInt32, _ result: inout ByteBuffer) {
    result.appendChangeHead(.delete, shape: number)
    for value in key { result.append(value) }
  }

  private func appendInsert(
    _ row: [Value], _ number: UInt32, _ result: inout ByteBuffer,
    as operation: ChangeOperation = .insert
  ) {
    result.appendChangeHead(operation, shape: number)
    for value in row { result.append(value) }
  }

  private func appendUpdate(
    _ old: [Value], _ new: [Value], _ shape: TableShape, _ number: UInt32,
    _ result: inout ByteBuffer
  ) {
    result.appendChangeHead(.update, shape: number)
    let keys = Set(shape.keys.map(\.column))
    var unchanged = 0
    for column in new.indices {
      if !keys.contains(column), old[column].hasSameBits(as: new[column]) {
        unchanged += 1
      } else {
        result.appendAbsent(count: unchanged)
        unchanged = 0
        result.append(new[column])
      }
    }
    result.appendAbsent(count: unchanged)
  }
}
