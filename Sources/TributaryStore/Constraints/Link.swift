import TributaryCore

/// One column of a replicated table whose values refer to a column of the same or another table. A reference
/// to a row that gets another number follows the row, whether or not it is enforced.
struct Link: Sendable {
  /// The positions of the child's stored column, of the tables, and of the parent's stored column.
  var column: Int
  var parent: Int
  var parentColumn: Int

  /// Returns the links of a foreign key; none if the parent is not replicated.
  static func all(of reference: Reference) -> [Link] {
    guard let parent = reference.parent, let positions = reference.parentPositions else {
      return []
    }
    return zip(reference.childColumns, positions).map {
      Link(column: $0, parent: parent, parentColumn: $1)
    }
  }

  /// Returns the declared links without a foreign key, as far as their tables exist.
  static func declared(by child: Int, in schema: ReplicatedSchema) -> [Link] {
    let table = schema.tables[child]
    return table.merge.references.compactMap { name, reference in
      guard let column = table.shape.columns.firstIndex(where: { SQLName($0) == name }),
        let parent = schema.tables.firstIndex(where: {
          SQLName($0.name) == reference.table && $0.refusal == nil
        }),
        let parentColumn = schema.tables[parent].place(ofReferred: reference.column)
      else { return nil }
      return Link(column: column, parent: parent, parentColumn: parentColumn)
    }.sorted { $0.column < $1.column }
  }
}
