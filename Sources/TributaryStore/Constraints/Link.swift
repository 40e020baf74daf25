import TributaryCore

/// One column of a replicated table whose values are those of a column of the same or another one: what
/// refers to a row that gets another number follows it, enforced or not.
struct Link: Sendable {
  /// Positions among the stored columns of the child, the tables, and the stored columns of the parent.
  var column: Int
  var parent: Int
  var parentColumn: Int

  /// Those of a foreign key; none where the parent is not replicated.
  static func all(of reference: Reference) -> [Link] {
    guard let parent = reference.parent, let positions = reference.parentPositions else {
      return []
    }
    return zip(reference.childColumns, positions).map {
      Link(column: $0, parent: parent, parentColumn: $1)
    }
  }

  /// Those that no foreign key says, as far as the tables are there.
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
