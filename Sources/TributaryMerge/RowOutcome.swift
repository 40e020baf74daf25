import TributaryCore
import TributaryLog
import TributaryStore

/// What the new operations make of a row, by the definition of the merge. It applies operations one after
/// another in order of stamp, from the first new one on: new ones, and later ones that the store already has.
struct RowOutcome {
  enum Kind {
    /// Nothing changes: the store already shows the result.
    case nothing
    /// A living row gets the columns; a dead or unknown row stays dead or unknown.
    case update
    /// The row lives with these columns; its other columns stay as they are.
    case put
    /// The row lives with these columns; all others take their defaults.
    case putAfterDelete
    case delete
  }

  struct Cell {
    var view: ValueView
    var isNew: Bool
    /// Whether an update before the first insert set it: it then counts only if the row was alive at that
    /// time.
    var isConditional: Bool
    /// Whether a policy merges it into the row's current value; otherwise it replaces that value.
    var isPending = false
  }

  private(set) var kind = Kind.nothing
  /// The cells, by stored column here; `nil` if no operation writes the column.
  private(set) var cells: [Cell?]

  private let policies: [ColumnPolicy]
  private var counts = MigrationCounts()

  init(_ table: TableDescription) {
    policies = table.policies
    cells = Array(repeating: nil, count: policies.count)
  }

  /// Takes account of an update before the first new operation, by a migration that other devices may also
  /// have run.
  mutating func note(
    image: UnsafeRawBufferPointer, mapping: TableMapping, mark: String
  ) throws(LogError) {
    try mapping.forEachCell(.update, image) { column, view in
      if view.kind != .absent { _ = counts.judge(mark, column: column, isNew: false) }
    }
  }

  /// Appends the next operation in order of stamp.
  ///
  /// - Parameter mark: the mark of the migration whose rows its transaction has, if that migration runs once.
  mutating func append(
    _ operation: ChangeOperation, image: UnsafeRawBufferPointer, mapping: TableMapping, isNew: Bool,
    mark: String? = nil
  ) throws(LogError) {
    switch operation {
    case .delete:
      kind = .delete
      for column in cells.indices { cells[column] = nil }
      try mapping.forEachCell(operation, image) { column, view in
        cells[column] = Cell(view: view, isNew: isNew, isConditional: false)
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
      try set(image, mapping, isNew, isUpdate: false)
    case .update:
      if kind == .delete { return }
      // The key in an update names the row; only an insert determines its spelling.
      let isFirst = kind == .nothing
      if isFirst { kind = .update }
      try set(image, mapping, isNew, isUpdate: true, sparingKey: !isFirst, mark: mark)
    }
  }

  private mutating func set(
    _ image: UnsafeRawBufferPointer, _ mapping: TableMapping, _ isNew: Bool,
    isUpdate: Bool, sparingKey: Bool = false, mark: String? = nil
  ) throws(LogError) {
    try mapping.forEachCell(.update, image) { column, view in
      if view.kind == .absent || sparingKey && mapping.isKey[column] { return }
      if isUpdate, !policies[column].takesLatest, !mapping.isKey[column] {
        if let mark, policies[column] == .counter {
          count(view, into: column, isNew, mark)
        } else {
          merge(view, into: column, isNew)
        }
      } else {
        cells[column] = Cell(view: view, isNew: isNew, isConditional: false)
      }
    }
  }

  /// Applies an update of a counter by a migration.
  private mutating func count(
    _ view: ValueView, into column: Int, _ isNew: Bool, _ mark: String
  ) {
    switch counts.judge(mark, column: column, isNew: isNew) {
    case .counts: merge(view, into: column, isNew)
    case .passedOver: break
    case .takenBack:
      // If the row's value is known because of an insert, the update has not been added to it.
      guard cells[column]?.isPending ?? (kind == .update || kind == .put) else { return }
      merge(.integer(0 &- view.integer), into: column, true)
    }
  }

  /// Applies an update of a column with a policy. If the store already has the update, it is already part of
  /// the row's current value, unless an insert comes before it here.
  private mutating func merge(_ view: ValueView, into column: Int, _ isNew: Bool) {
    guard let before = cells[column] else {
      let isPending = kind == .update || kind == .put
      if isNew || !isPending {
        cells[column] = Cell(
          view: view, isNew: isNew, isConditional: false, isPending: isPending)
      }
      return
    }
    if before.isPending, !isNew { return }
    let policy = policies[column]
    if policy == .counter {
      let sum = (policy.merged(view.value ?? .null, into: before.view.value ?? .null))
      if case .integer(let sum) = sum { cells[column]?.view = .integer(sum) }
    } else if policy.prevails(view.value ?? .null, over: before.view.value ?? .null) {
      cells[column]?.view = view
    }
    cells[column]?.isNew = before.isNew || isNew
  }

  var isPending: Bool { cells.contains { $0?.isPending == true } }

  /// Merges a cell into the row's current value.
  mutating func settle(_ column: Int, over present: Value) {
    guard let cell = cells[column] else { return }
    let merged = policies[column].merged(cell.view.value ?? .null, into: present)
    if merged.hasSameBits(as: present) {
      cells[column] = nil
    } else if case .integer(let integer) = merged {
      cells[column]?.view = .integer(integer)
    }
  }

  /// Ends the series: an update whose columns were all overwritten later changes nothing.
  mutating func finish(isKey: [Bool]) {
    guard kind == .update else { return }
    var saysSomething = false
    for column in cells.indices where !isKey[column] {
      if let cell = cells[column], cell.isNew {
        saysSomething = true
      } else {
        cells[column] = nil
      }
    }
    if !saysSomething { kind = .nothing }
  }
}
