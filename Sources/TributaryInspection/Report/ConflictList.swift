internal import TributaryCore

/// Concurrent writes: all are counted, and the newest are kept.
struct ConflictList {
  private(set) var counts: [ReportConflict.Kind: Int] = [:]
  private var kept: [(conflict: ReportConflict, row: Int64)] = []
  /// The positions in `kept` that have not been answered yet.
  private var open: [Int64: [Int]] = [:]
  private let limit: Int

  init(limit: Int = 0) { self.limit = limit }

  /// The newest ones, oldest first.
  var newest: [ReportConflict] { kept.suffix(limit).map(\.conflict) }

  mutating func append(_ conflict: ReportConflict, row: Int64) {
    counts[conflict.kind, default: 0] += 1
    keep(conflict, row)
  }

  /// Adds a later list.
  mutating func append(_ other: ConflictList) {
    for (kind, count) in other.counts { counts[kind, default: 0] += count }
    for (conflict, row) in other.kept.suffix(limit) { keep(conflict, row) }
  }

  mutating func removeAll() {
    guard !counts.isEmpty else { return }
    self = ConflictList(limit: limit)
  }

  /// Records that a row is written again.
  ///
  /// - Parameter knows: whether the writer knew a transaction.
  mutating func answer(
    _ row: Int64, _ change: RowChange, knows: (ReportConflict.Side) -> Bool
  ) {
    guard !open.isEmpty, let places = open[row] else { return }
    let left = places.filter { place in
      let conflict = kept[place].conflict
      let givesSame =
        change.operation != .update || conflict.kind == .delete
        || change.cells.contains { cell in
          conflict.columns.contains { SQLName($0) == SQLName(cell.name) }
        }
      guard givesSame, knows(conflict.loser) else { return true }
      kept[place].conflict.isAnswered = true
      return false
    }
    open[row] = left.isEmpty ? nil : left
  }

  private mutating func keep(_ conflict: ReportConflict, _ row: Int64) {
    open[row, default: []].append(kept.count)
    kept.append((conflict, row))
    guard kept.count >= 2 * limit, limit > 0 else { return }
    kept.removeFirst(kept.count - limit)
    open.removeAll()
    for (place, entry) in kept.enumerated() where !entry.conflict.isAnswered {
      open[entry.row, default: []].append(place)
    }
  }
}
