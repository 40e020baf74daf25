import TributaryCore
import TributaryLog
import TributarySQLite

/// Reduces the captured changes of a transaction to its net effect on each row.
///
/// Changes of rows that were changed once are copied. For other rows, and for rows of statements that were
/// undone, the current row is compared with the row before the transaction, which another connection still
/// sees.
struct NetEffect {
  /// The current tables.
  let schema: ReplicatedSchema
  let registry: ShapeRegistry
  /// A connection that sees the last commit.
  let before: Connection
  /// A connection that sees the open transaction.
  let now: Connection
  let shapeNumbers: [SQLName: UInt32]
  /// Whether rows with NULL in their key came and went.
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

  /// Returns the same ranges in order, with touching ones joined.
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

  /// Passes on each change with the number of its table and the bytes of its key.
  private func walk(
    _ changes: UnsafeRawBufferPointer,
    _ body: (Item, UInt32, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var reader = ChangeListReader(changes)
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      defer { offset = reader.offset }
      // Such a row is already gone; otherwise, the commit would have been refused.
      if hasNullKeys, let shape = registry.shapes[change.shapeID],
        try shape.key(change.operation, image: change.image).contains(.null)
      {
        continue
      }
      guard let table = try tally.encodeKey(of: change, registry) else { continue }
      try body(Item(change: change, offset: offset, end: reader.offset), table, tally.key.bytes)
    }
  }

  /// Appends the change of a row, if there is one.
  private func compare(
    _ change: ChangeView, isPut: Bool, into result: inout ByteBuffer
  ) throws {
    // The rows of a dropped table are gone with it.
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
      // The table did not have these columns before. Stating too much about a row is harmless.
      let effect = RowEffect(table: table, number: number, path: now.path)
      if let current {
        try effect.append(from: nil, to: current, into: &result)
      } else {
        effect.appendDelete(key, &result)
      }
      return
    }
    try RowEffect(table: table, number: number, path: now.path).append(
      from: old, to: current, isPut: isPut, into: &result)
  }
}
