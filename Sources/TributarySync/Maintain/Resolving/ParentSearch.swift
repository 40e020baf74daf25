import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Finds the deleted rows to which a row refers, as they were before their deletion.
final class ParentSearch {
  private let history: LoggedRows
  private let constraints: ConstraintSet
  private let held: [Conflict]
  private let deletions: [Conflict]

  /// The rows to insert, parents before those that refer to them.
  private(set) var rows: [RestoredRow] = []

  /// Prepares the search.
  ///
  /// - Parameter conflicts: the open conflicts.
  init(_ history: LoggedRows, constraints: ConstraintSet, conflicts: [Conflict]) {
    self.history = history
    self.constraints = constraints
    held = conflicts.filter(\.isHeld)
    deletions = conflicts.filter { $0.kind == .delete }
  }

  /// Adds the missing parents of a row to `rows`, and the parents of these.
  ///
  /// - Parameter row: the row. Columns that are not in it refer to nothing.
  /// - Throws: `SyncError` with the code `unrestorable` if a parent is held, has a conflict of its own about
  ///   its deletion, or is not in the logs.
  func addParents(of table: TableDescription, row: [Conflict.Cell]) throws {
    for reference in constraints.references(of: table.name) {
      let values = reference.childColumns.map {
        row.value(of: table.shape.columns[$0]) ?? .null
      }
      guard !values.contains(.null), try !constraints.parentExists(reference, values) else {
        continue
      }
      let wanted = ReferenceTarget(reference, values, constraints)
      guard
        try SQLName(reference.parentName) != SQLName(table.name) || !wanted.matches(row),
        try !rows.contains(where: {
          try SQLName($0.table.name) == SQLName(reference.parentName)
            && wanted.matches($0.values)
        })
      else { continue }
      try add(wanted, of: table)
    }
  }

  private func add(_ wanted: ReferenceTarget, of child: TableDescription) throws {
    var text = JSONWriter()
    text.key(wanted.values)
    let name = wanted.reference.parentName
    let what = "\(text.text) of table \(name), to which table \(child.name) refers"
    guard let parent = constraints.schema.table(named: name), parent.refusal == nil else {
      throw unrestorable("\(what), is not replicated", remedy: "write it by hand")
    }
    if let conflict = try held.first(where: {
      try SQLName($0.table) == SQLName(parent.name) && wanted.matches($0.values)
    }) {
      throw unrestorable(
        "\(what), is held itself by conflict \(conflict.id)", remedy: "resolve that one first")
    }
    guard let values = try lastState(of: parent, wanted) else {
      throw unrestorable(
        "\(what), is not in the logs as a deleted row",
        remedy: "write it by hand, or keep what is visible")
    }
    // Bringing the row back would end that conflict, and the user would not learn which values lost.
    let key = parent.key(of: parent.shape.columns.map { values.value(of: $0) ?? .null })
    let identity = try parent.identity(key: key, number: 0)
    if let conflict = try deletions.first(where: {
      try SQLName($0.table) == SQLName(parent.name)
        && parent.identity(key: $0.key, number: 0) == identity
    }) {
      throw unrestorable(
        "\(what), is deleted, and conflict \(conflict.id) has what another device wrote into it",
        remedy: "resolve that one first: with --restore, that row comes back as it was written")
    }
    // Its own place comes after the rows to which it refers. It is known before these, so that circles end.
    let row = RestoredRow(table: parent, values: values)
    rows.append(row)
    let place = rows.count - 1
    try addParents(of: parent, row: values)
    rows.append(rows.remove(at: place))
  }

  /// Returns the row with these values, as it was when it was last deleted.
  private func lastState(
    of table: TableDescription, _ wanted: ReferenceTarget
  ) throws -> [Conflict.Cell]? {
    var best: (stamp: Stamp, values: [Conflict.Cell])?
    let defaults = try DefaultRow.values(of: table, history.connection)
    for history in try history.histories(of: candidates(in: table, wanted)).values {
      var row: [Value]?
      var last: (stamp: Stamp, values: [Conflict.Cell])?
      for change in history.changes {
        let before = row
        row = change.applied(to: row, of: table, defaults: defaults)
        if let before, row == nil { last = (change.author.stamp, table.cells(before)) }
      }
      guard row == nil, let last, try wanted.matches(last.values) else { continue }
      if best.map({ $0.stamp < last.stamp }) ?? true { best = last }
    }
    return best?.values
  }

  /// Returns all rows that ever had such values, or one of them.
  private func candidates(
    in table: TableDescription, _ wanted: ReferenceTarget
  ) throws -> Set<RowIdentity> {
    var found: Set<RowIdentity> = []
    guard let number = history.schema.tableNumber(named: table.name) else { return found }
    try history.forEachChange(of: [number]) { row, change in
      if change.operation != .delete, try wanted.mayMatch(table.cells(change.values)) {
        found.insert(row)
      }
    }
    return found
  }

  private func unrestorable(_ message: String, remedy: String) -> SyncError {
    SyncError(.unrestorable, message, path: history.path, remedy: remedy)
  }
}
