import TributaryStore

/// A row as changes in ascending order of stamp leave it.
struct FoldedRow {
  /// By column; `nil` while the row is dead.
  private(set) var values: [Conflict.Cell]?

  mutating func apply(_ change: LoggedChange) {
    switch change.operation {
    case .insert, .replace: set(change.values, in: values ?? [])
    case .update:
      if let values { set(change.values, in: values) }
    case .delete: values = nil
    }
  }

  private mutating func set(_ new: [Conflict.Cell], in old: [Conflict.Cell]) {
    var row = old
    for cell in new {
      if let index = row.firstIndex(where: { $0.column.lowercased() == cell.column.lowercased() }) {
        row[index].value = cell.value
      } else {
        row.append(cell)
      }
    }
    values = row
  }
}
