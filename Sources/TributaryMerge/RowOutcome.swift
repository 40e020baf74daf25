import TributaryCore
import TributaryLog

/// What the new operations make of a row, by the definition of the merge: the operations from the
/// first new one on, new ones and later ones that the store has already, one after the other in
/// order of stamp.
struct RowOutcome {
  enum Kind {
    /// Nothing that the store does not show already.
    case nothing
    /// A living row gets the columns; a dead or unknown one stays so.
    case update
    /// The row lives with the columns; what else it had stays.
    case put
    /// The row lives with the columns; all others take their defaults.
    case putAfterDelete
    case delete
  }

  struct Cell {
    var view: ValueView
    var isNew: Bool
    /// Set by an update before the first insert: holds only where the row lived then.
    var isConditional: Bool
  }

  private(set) var kind = Kind.nothing
  /// By stored column here; `nil` where no operation says anything.
  private(set) var cells: [Cell?]

  init(columnCount: Int) { cells = Array(repeating: nil, count: columnCount) }

  /// Adds the next operation in order of stamp.
  mutating func append(
    _ operation: ChangeOperation, image: UnsafeRawBufferPointer, mapping: TableMapping, isNew: Bool
  ) throws(LogError) {
    switch operation {
    case .delete:
      kind = .delete
      for column in cells.indices { cells[column] = nil }
      var cursor = ImageCursor(image)
      for source in mapping.sourceKeys {
        cells[mapping.columns[source]] = Cell(
          view: try cursor.next(), isNew: isNew, isConditional: false)
      }
    case .insert, .replace:
      switch kind {
      case .delete: kind = .putAfterDelete
      case .update:
        for column in cells.indices { cells[column]?.isConditional = true }
        kind = .put
      case .nothing: kind = .put
      case .put, .putAfterDelete: break
      }
      try set(image, mapping, isNew)
    case .update:
      if kind == .delete { return }
      // The key of an update names the row; only an insert says how it is spelled.
      let isFirst = kind == .nothing
      if isFirst { kind = .update }
      try set(image, mapping, isNew, sparingKey: !isFirst)
    }
  }

  private mutating func set(
    _ image: UnsafeRawBufferPointer, _ mapping: TableMapping, _ isNew: Bool,
    sparingKey: Bool = false
  ) throws(LogError) {
    var cursor = ImageCursor(image)
    for source in 0..<mapping.sourceColumnCount {
      let view = try cursor.next()
      if view.kind != .absent, !sparingKey || !mapping.sourceKeys.contains(source) {
        cells[mapping.columns[source]] = Cell(view: view, isNew: isNew, isConditional: false)
      }
    }
  }

  /// Ends the series: an update whose columns were all overwritten later says nothing.
  mutating func finish(keys: Set<Int>) {
    guard kind == .update else { return }
    var saysSomething = false
    for column in cells.indices where !keys.contains(column) {
      if let cell = cells[column], cell.isNew {
        saysSomething = true
      } else {
        cells[column] = nil
      }
    }
    if !saysSomething { kind = .nothing }
  }
}
