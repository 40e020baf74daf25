import TributaryCore
import TributaryLog
import TributarySQLite

/// The tables that a column of another type refers to.
///
/// When such a parent goes, some releases of SQLite (3.40 among them) compare the keys of its children
/// as they are stored: a child that says '1.0' for 1 is not found by an action, and the transaction can be
/// committed with a row that refers to nothing. Transactions that delete or update such parents are
/// looked at (`ForeignKeyCheck`).
struct LooseParents {
  /// By the numbers of their shapes.
  private let shapes: Set<UInt32>

  /// - Parameter constraints: asked for only where some table refers to one.
  init(
    _ connection: Connection, shapeNumbers: [SQLName: UInt32],
    constraints: () throws -> ConstraintSet
  ) throws {
    let refers = try connection.integer(
      """
      SELECT EXISTS (
        SELECT 1 FROM sqlite_schema AS t, pragma_foreign_key_list(t.name, 'main')
        WHERE t.type = 'table' AND t.name NOT LIKE 'tributary\\_%' ESCAPE '\\')
      """)
    guard refers == 1 else {
      shapes = []
      return
    }
    let constraints = try constraints()
    let parents = constraints.references.joined().filter(\.isLoose).compactMap(\.parent)
    shapes = Set(
      parents.compactMap { shapeNumbers[SQLName(constraints.schema.tables[$0].name)] })
  }

  /// Whether a row of such a table is deleted or updated.
  ///
  /// - Complexity: O(*n*) in the changes where there is such a table, otherwise O(1).
  func mayGo(in changes: UnsafeRawBufferPointer, layout: (UInt32) -> ShapeLayout?) throws -> Bool {
    if shapes.isEmpty { return false }
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: layout) {
      if change.operation != .insert, shapes.contains(change.shapeID) { return true }
    }
    return false
  }
}

extension Reference {
  /// A value of the child may have to be converted to be compared with the parent's.
  fileprivate var isLoose: Bool {
    zip(childAffinities, parentAffinities).contains { child, parent in
      child != parent && !(child.isNumeric && parent.isNumeric)
    }
  }
}
