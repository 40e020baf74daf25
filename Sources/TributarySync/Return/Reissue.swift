import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// How a fenced change of one row is issued again, in the columns of the table.
///
/// What loses is written first. After it, an author who did not know of that writes what is there. So every
/// device ends up with one conflict, and nothing that other devices show has changed.
struct Reissue {
  enum Write {
    case put([Value], ChangeOperation)
    /// Sets columns. The values of other columns are ignored.
    case update([Value], columns: Set<Int>)
    case delete([Value])
  }

  /// Writes what should be visible, or what loses against `restoration`.
  private(set) var write: Write?
  /// Writes what is there now.
  private(set) var restoration: Write?
  /// Whether the row was deleted and stays, since others may have written it.
  private(set) var isUndeleted = false

  private let table: TableDescription
  /// The row in the baseline.
  private let now: [Value]?

  /// Creates a reissue for a row of a table, without anything to write.
  ///
  /// - Parameter now: the row in the baseline; `nil` if there is none.
  init(_ table: TableDescription, now: [Value]?) {
    self.table = table
    self.now = now
  }

  private var keys: Set<Int> { Set(table.shape.keys.map(\.column)) }

  /// The columns in which the later write wins.
  private var latest: Set<Int> {
    Set(table.shape.columns.indices.filter { table.policies[$0].takesLatest }).subtracting(keys)
  }

  /// Adds the fenced changes of a row.
  ///
  /// - Parameters:
  ///   - row: the row as the store shows it; `nil` if it is gone.
  ///   - lost: the columns in which others' values are shown.
  mutating func add(
    _ fenced: FencedRow, row: [Value]?, lost: Set<Int> = [], base: BaseRows.Base, key: [Value]
  ) {
    let isCompared = fenced.isCompared && base.isKnown && base.unknown.isEmpty
    guard let row else {
      // The store has not deleted what it never saw.
      if fenced.isDeleted, !fenced.isCompared || base.row != nil { delete(key, base: base) }
      return
    }
    guard let now else {
      if fenced.first == .insert || fenced.numbering != nil || isCompared && base.row == nil {
        write = .put(row, .insert)
      } else if isCompared, base.isSame(as: row, in: row.indices) {
        return
      } else if fenced.isWhole || !fenced.columns.isEmpty {
        write = .put(row, .replace)
        restoration = .delete(key)
      }
      return
    }
    update(fenced, row, now, lost, base)
  }

  /// Deletes the row, unless another author has written it since.
  mutating func delete(_ key: [Value], base: BaseRows.Base) {
    guard let now else { return }
    if base.isSame(as: now, in: now.indices) { write = .delete(key) } else { isUndeleted = true }
  }

  private mutating func update(
    _ fenced: FencedRow, _ row: [Value], _ now: [Value], _ lost: Set<Int>, _ base: BaseRows.Base
  ) {
    var values = row
    var columns = fenced.columns
    if fenced.isCompared, base.unknown.isEmpty, let before = base.row {
      columns = Set(row.indices.filter { !row[$0].hasSameBits(as: before[$0]) })
    }
    let changed = columns.intersection(latest).subtracting(lost).filter {
      !row[$0].hasSameBits(as: now[$0])
    }
    let unit = table.mergesByRow ? changed.isEmpty ? [] : latest : changed
    let restored =
      table.mergesByRow
      ? base.isSame(as: now, in: unit) ? [] : unit
      : unit.filter { !base.isSame(as: now, in: [$0]) }
    var written = unit
    for (column, sum) in fenced.sums where sum != 0 {
      values[column] = .integer(sum)
      written.insert(column)
    }
    var bests = fenced.bests
    if fenced.isUnrecorded {
      // The merge keeps the larger max value and the smaller min value, so it does not matter who wrote them.
      for column in row.indices
      where !keys.contains(column) && [.max, .min].contains(table.policies[column]) {
        bests[column] = row[column]
      }
    }
    for (column, best) in bests
    where table.policies[column].merged(best, into: now[column]) != now[column] {
      values[column] = best
      written.insert(column)
    }
    if !written.isEmpty { write = .update(values, columns: written.union(keys)) }
    if !restored.isEmpty { restoration = .update(now, columns: restored.union(keys)) }
  }

  /// Returns the write of values that have already lost.
  ///
  /// - Parameter cells: the values by column.
  /// - Returns: `nil` if all of them are there now.
  mutating func losing(_ cells: [Int: Value], key: [Value]) -> Write? {
    var columns = Set(cells.keys).intersection(latest)
    var row = now ?? Array(repeating: .null, count: table.shape.columns.count)
    for (place, part) in table.shape.keys.enumerated() { row[part.column] = key[place] }
    if let now {
      columns = columns.filter { !(cells[$0] ?? .null).hasSameBits(as: now[$0]) }
      if table.mergesByRow, !columns.isEmpty { columns = latest }
    }
    for (column, value) in cells where columns.contains(column) { row[column] = value }
    if columns.isEmpty { return nil }
    restore(columns, key)
    return .update(row, columns: columns.union(keys))
  }

  /// Writes what is there again after what loses, unless something else is written there.
  private mutating func restore(_ columns: Set<Int>, _ key: [Value]) {
    switch write {
    case .put where restoration == nil: return
    case .delete: return
    case .put, .update, nil: break
    }
    guard let now else {
      restoration = .delete(key)
      return
    }
    var restored = columns.union(keys)
    if case .update(_, let written)? = write { restored.subtract(written.subtracting(keys)) }
    if case .update(_, let before)? = restoration { restored.formUnion(before) }
    if restored != keys { restoration = .update(now, columns: restored) }
  }
}
