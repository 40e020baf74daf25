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
  let shapeNumbers: [SQLName: UInt32]
  /// Rows with NULL in their key came and went.
  let hasNullKeys: Bool
  let tally: NetEffectTally

  func compute(
    _ changes: UnsafeRawBufferPointer, undone: [Range<Int>], into result: inout ByteBuffer
  ) throws {
    let undone = Self.joined(undone)
    var nextUndone = 0
    tally.removeAll()
    try walk(changes) { item, number, key in
      while nextUndone < undone.count, undone[nextUndone].upperBound <= item.offset {
        nextUndone += 1
      }
      tally.note(
        item.change.operation, key, table: number,
        isUndone: nextUndone < undone.count && undone[nextUndone].contains(item.offset))
    }
    if !hasNullKeys, tally.isPlain {
      result.append(changes)
      return
    }
    try walk(changes) { item, number, key in
      switch tally.verdict(key, table: number) {
      case .copied: result.append(UnsafeRawBufferPointer(rebasing: changes[item.offset..<item.end]))
      case .compared(let isPut): try compare(item.change, isPut: isPut, into: &result)
      case .done: break
      }
    }
  }

  /// The same ranges in order, none touching another.
  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
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
    var reader = ChangeListReader(changes)
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      defer { offset = reader.offset }
      // Such a row is gone again, or the commit would have been refused.
      if hasNullKeys, let shape = registry.shapes[change.shapeID],
        try shape.key(change.operation, image: change.image).contains(.null)
      {
        continue
      }
      guard let table = try tally.encodeKey(of: change, registry) else { continue }
      try body(Item(change: change, offset: offset, end: reader.offset), table, tally.key.bytes)
    }
  }

  /// Appends what became of a row, if anything did.
  private func compare(
    _ change: ChangeView, isPut: Bool, into result: inout ByteBuffer
  ) throws {
    // The rows of a table that was dropped went with it.
    guard let shape = registry.shapes[change.shapeID], let table = schema.table(named: shape.table),
      let number = shapeNumbers[SQLName(table.name)]
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
        try appendInsert(current, table, number, &result)
      } else {
        appendDelete(key, number, &result)
      }
      return
    }
    switch (old, current) {
    case (nil, nil): break
    case (let old?, nil): appendDelete(table.shape.keys.map { old[$0.column] }, number, &result)
    case (nil, let current?): try appendInsert(current, table, number, &result)
    case (let old?, let current?):
      guard !zip(old, current).allSatisfy({ $0.hasSameBits(as: $1) }) else { break }
      if isPut {
        try appendInsert(current, table, number, &result, as: .replace)
      } else {
        try appendUpdate(old, current, table, number, &result)
      }
    }
  }

  private func appendDelete(_ key: [Value], _ number: UInt32, _ result: inout ByteBuffer) {
    result.appendChangeHead(.delete, shape: number)
    for value in key { result.append(value) }
  }

  private func appendInsert(
    _ row: [Value], _ table: TableDescription, _ number: UInt32, _ result: inout ByteBuffer,
    as operation: ChangeOperation = .insert
  ) throws(StoreError) {
    result.appendChangeHead(operation, shape: number)
    for (column, value) in row.enumerated() {
      if table.policies[column] == .counter { _ = try count(value, column, table) }
      result.append(value)
    }
  }

  private func appendUpdate(
    _ old: [Value], _ new: [Value], _ table: TableDescription, _ number: UInt32,
    _ result: inout ByteBuffer
  ) throws(StoreError) {
    result.appendChangeHead(.update, shape: number)
    let keys = Set(table.shape.keys.map(\.column))
    var unchanged = 0
    for column in new.indices {
      let policy = table.policies[column]
      if !keys.contains(column), !table.mergesByRow || policy == .counter,
        old[column].hasSameBits(as: new[column])
      {
        unchanged += 1
        continue
      }
      result.appendAbsent(count: unchanged)
      unchanged = 0
      switch policy {
      case .counter:
        // What no counter held when it became one was no count.
        let start = (try? count(old[column], column, table)) ?? 0
        guard new[column] != .null else {
          throw StoreError(
            .policy,
            "a row of table \(table.name) would have NULL in its column \(table.shape.columns[column]), "
              + "which is a counter and holds a number", path: now.path, remedy: "write 0")
        }
        result.appendInteger(try count(new[column], column, table) &- start)
      default:
        guard policy.prevails(new[column], over: old[column]) else {
          throw StoreError(
            .policy,
            "a row of table \(table.name) would have a \(policy == .max ? "lower" : "higher") value in its column "
              + "\(table.shape.columns[column]), which keeps the \(policy == .max ? "largest" : "smallest")",
            path: now.path, remedy: "leave the value as it is, or replace the row by a new one")
        }
        result.append(new[column])
      }
    }
    result.appendAbsent(count: unchanged)
  }

  /// What a counter holds, NULL as 0.
  private func count(
    _ value: Value, _ column: Int, _ table: TableDescription
  ) throws(StoreError) -> Int64 {
    switch value {
    case .integer(let integer): return integer
    case .null: return 0
    default:
      throw StoreError(
        .policy,
        "a row of table \(table.name) would have something else than an integer in its column "
          + "\(table.shape.columns[column]), which is a counter", path: now.path,
        remedy: "write an integer or NULL")
    }
  }
}
