import TributaryCore
import TributaryLog
import TributarySQLite

/// Tables to which a column of another type refers.
///
/// When such a parent is deleted, some releases of SQLite (3.40 among them) compare the keys of its children
/// as they are stored. An action then misses a child that has '1.0' instead of 1, and the transaction can be
/// committed with a row that refers to nothing. `ForeignKeyCheck` therefore checks transactions that delete
/// or update such parents.
struct LooseParents {
  /// The numbers of the tables' shapes.
  private let shapes: Set<UInt32>

  /// Finds the tables.
  ///
  /// - Parameter constraints: requested only if such a reference exists.
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
  /// - Complexity: O(*n*) in the changes if there is such a table, otherwise O(1).
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
  /// Whether a value of the child may have to be converted before it is compared with the parent's.
  fileprivate var isLoose: Bool {
    zip(childAffinities, parentAffinities).contains { child, parent in
      child != parent && !(child.isNumeric && parent.isNumeric)
    }
  }
}
