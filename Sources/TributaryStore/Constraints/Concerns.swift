import TributaryCore

/// What a transaction changes that may concern rows which are not visible as they really are.
package struct Concerns {
  /// Unique keys that rows claim or have claimed, and references to rows that exist or have existed.
  var subjects: Set<RowKey> = []
  /// References to columns whose former values are unknown.
  var references: Set<ReferencePlace> = []
  /// Held rows, and rows that show other values than those they refer to.
  var rows: Set<RowIdentity> = []
  /// The rows that were changed in their tables; a row is new if there was no row under its key.
  var changed: [(table: Int, key: [Value], isNew: Bool)] = []

  /// Adds the rows that refer to this one.
  ///
  /// - Parameter row: the current or former row.
  mutating func addParent(_ row: [Value], table: Int, _ constraints: ConstraintSet) throws {
    for (child, position) in constraints.referring[table] {
      let reference = constraints.references[child][position]
      guard let columns = reference.parentPositions else {
        references.insert(ReferencePlace(table: child, position: position))
        continue
      }
      let values = columns.map { row[$0] }
      if values.contains(.null) { continue }
      try insert(reference, position, values, constraints)
    }
  }

  /// Adds the rows that may have referred to the former row under a key.
  private mutating func addFormerParent(
    _ key: [Value], table: Int, _ constraints: ConstraintSet
  ) throws {
    let keys = constraints.schema.tables[table].shape.keys
    for (child, position) in constraints.referring[table] {
      let reference = constraints.references[child][position]
      let values = reference.parentPositions?.compactMap { column in
        keys.firstIndex { $0.column == column }.map { key[$0] }
      }
      if let values, values.count == reference.parentColumns.count {
        try insert(reference, position, values, constraints)
      } else {
        references.insert(ReferencePlace(table: child, position: position))
      }
    }
  }

  private mutating func insert(
    _ reference: Reference, _ position: Int, _ values: [Value], _ constraints: ConstraintSet
  ) throws {
    let subject = try reference.subject(position, values)
    subjects.insert(RowKey(table: reference.child, subject: subject))
    // The row that a default refers to stands in for any other parent.
    if case .show(let replacement) = reference.absence, !replacement.contains(.null),
      try reference.bytes(replacement) == subject.bytes
    {
      references.insert(ReferencePlace(table: reference.child, position: position))
    }
  }

  /// Adds what a changed row claims, and the rows that refer to it.
  ///
  /// - Parameter row: the row as its table shows it now; `nil` if the table does not show it.
  mutating func addChange(
    table: Int, key: [Value], isNew: Bool, row: [Value]?, _ constraints: ConstraintSet
  ) throws {
    if !isNew { try addFormerParent(key, table: table, constraints) }
    guard let row else { return }
    for subject in try constraints.claims(of: row, table: table) {
      subjects.insert(RowKey(table: table, subject: subject))
    }
    try addParent(row, table: table, constraints)
  }
}

/// A unique key or a reference of a table, with a row's values in it.
struct RowKey: Hashable {
  var table: Int
  var subject: ClaimTable.Subject
}

/// A reference, given by its child and its position among the child's references.
package struct ReferencePlace: Hashable {
  package var table: Int
  package var position: Int

  package init(table: Int, position: Int) {
    self.table = table
    self.position = position
  }
}
