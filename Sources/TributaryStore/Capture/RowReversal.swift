import TributaryCore
import TributaryLog
import TributarySQLite

/// Undoes what a migration has done to rows, but not what it has done to tables.
struct RowReversal {
  /// The tables as they were when the transaction began.
  let original: ReplicatedSchema
  let present: ReplicatedSchema
  let names: NameChanges
  let registry: ShapeRegistry
  /// A connection that sees the last commit.
  let before: Connection
  /// A connection that sees the open transaction, without triggers.
  let now: Connection

  /// Undoes changes.
  ///
  /// - Parameter changes: the net effect of the transaction.
  /// - Throws: `SQLiteError` if a constraint that the migration has added does not allow a row in its former
  ///   state.
  func run(_ changes: UnsafeRawBufferPointer) throws {
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let shape = registry.shapes[change.shapeID],
        let table = present.table(named: shape.table)
      else { continue }
      let key = try shape.key(change.operation, image: change.image)
      let deletion = try now.cached(
        "DELETE FROM main.\(table.name.quotedIdentifier) WHERE \(table.keyCondition)")
      try deletion.bind(key)
      try deletion.run()
      guard let (old, columns) = former(table),
        let row = try RowReader(old).row(key, in: before)
      else { continue }
      let known = columns.enumerated().filter { $0.element != nil }
      // The same as for a row whose log lacks the column.
      let substitutes = table.substitutes.filter { columns[$0.column] == nil }
      let list = (known.map(\.offset) + substitutes.map(\.column)).map {
        table.shape.columns[$0].quotedIdentifier
      }
      let values = known.map { _ in "?" } + substitutes.map(\.literal)
      let insertion = try now.cached(
        """
        INSERT OR ABORT INTO main.\(table.name.quotedIdentifier) (\(list.joined(separator: ", ")))
        VALUES (\(values.joined(separator: ", ")))
        """)
      try insertion.bind(known.map { row[$0.element ?? 0] })
      try insertion.run()
    }
  }

  /// Returns the former table, and the former position of each column.
  private func former(_ table: TableDescription) -> (TableDescription, [Int?])? {
    let old =
      original.table(named: table.name)
      ?? original.tables.first {
        names.meaning(of: $0.name, among: present) == .present(table.name)
      }
    guard let old else { return nil }
    return (
      old,
      table.shape.columns.map { column in
        old.shape.columns.firstIndex {
          if case .present(let name) = names.meaning(of: $0, in: old.name, among: table) {
            SQLName(name) == SQLName(column)
          } else {
            false
          }
        }
      }
    )
  }
}
