import TributaryCore
import TributaryLog
import TributaryStore

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
    /// By a policy it is to be merged into what the row has; otherwise it takes its place.
    var isPending = false
  }

  private(set) var kind = Kind.nothing
  /// By stored column here; `nil` where no operation says anything.
  private(set) var cells: [Cell?]

  private let policies: [ColumnPolicy]

  init(_ table: TableDescription) {
    policies = table.policies
    cells = Array(repeating: nil, count: policies.count)
  }

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
      try set(image, mapping, isNew, isUpdate: false)
    case .update:
      if kind == .delete { return }
      // The key of an update names the row; only an insert says how it is spelled.
      let isFirst = kind == .nothing
      if isFirst { kind = .update }
      try set(image, mapping, isNew, isUpdate: true, sparingKey: !isFirst)
    }
  }

  private mutating func set(
    _ image: UnsafeRawBufferPointer, _ mapping: TableMapping, _ isNew: Bool,
    isUpdate: Bool, sparingKey: Bool = false
  ) throws(LogError) {
    var cursor = ImageCursor(image)
    for source in 0..<mapping.sourceColumnCount {
      let view = try cursor.next()
      if view.kind != .absent, !sparingKey || !mapping.sourceKeys.contains(source) {
        let column = mapping.columns[source]
        if isUpdate, policies[column] != .latest, !mapping.sourceKeys.contains(source) {
          merge(view, into: column, isNew)
        } else {
          cells[column] = Cell(view: view, isNew: isNew, isConditional: false)
        }
      }
    }
  }

  /// An update of a column with a policy. One that the store has already is among what the row has,
  /// unless an insert comes before it here.
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

  /// Merges a cell into what the row has.
  mutating func settle(_ column: Int, over present: Value) {
    guard let cell = cells[column] else { return }
    let merged = policies[column].merged(cell.view.value ?? .null, into: present)
    if merged.hasSameBits(as: present) {
      cells[column] = nil
    } else if case .integer(let integer) = merged {
      cells[column]?.view = .integer(integer)
    }
  }

  /// Ends the series: an update whose columns were all overwritten later says nothing.
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
