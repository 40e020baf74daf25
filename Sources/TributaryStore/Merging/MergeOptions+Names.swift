import TributaryCore

extension MergeOptions {
  /// Returns the declarations with the names that tables and columns have here, without those about dropped
  /// ones.
  package func named(as schema: ReplicatedSchema, _ names: NameChanges) -> MergeOptions {
    if names.isEmpty { return self }
    var result = self
    result.tables = [:]
    for (name, merge) in tables {
      switch names.meaning(of: name.text, among: schema) {
      case .dropped: continue
      case .unknown: result.tables[name] = merge
      case .present(let present):
        guard let table = schema.table(named: present) else { continue }
        result.tables[SQLName(present)] = merge.named(as: table, formerly: name, names, schema)
      }
    }
    return result
  }
}

extension TableMerge {
  fileprivate func named(
    as table: TableDescription, formerly former: SQLName, _ names: NameChanges,
    _ schema: ReplicatedSchema
  ) -> TableMerge {
    renamed(
      { column in
        switch names.meaning(of: column.text, in: former.text, among: table) {
        case .present(let name): SQLName(name)
        case .dropped: nil
        case .unknown: column
        }
      },
      references: { reference in
        guard
          case .present(let present) = names.meaning(of: reference.table.text, among: schema),
          let parent = schema.table(named: present)
        else { return reference }
        guard
          case .present(let column) = names.meaning(
            of: reference.column.text, in: reference.table.text, among: parent)
        else { return DeclaredReference(present, reference.column.text) }
        return DeclaredReference(present, column)
      })
  }

  /// Returns the declaration of a table with the oldest names of its own columns and of others, which all
  /// devices know.
  package func withFirstNames(of table: SQLName, _ names: NameChanges) -> TableMerge {
    if names.isEmpty { return self }
    return renamed(
      { names.origin(ofColumn: $0, of: table) },
      references: {
        DeclaredReference(
          names.origin(ofTable: $0.table.text), names.origin(ofColumn: $0.column, of: $0.table).text
        )
      })
  }

  private func renamed(
    _ column: (SQLName) -> SQLName?, references: (DeclaredReference) -> DeclaredReference
  ) -> TableMerge {
    var result = self
    result.columns = [:]
    for (name, policy) in columns {
      if let name = column(name) { result.columns[name] = policy }
    }
    result.references = [:]
    for (name, reference) in self.references {
      if let name = column(name) { result.references[name] = references(reference) }
    }
    result.identifyingColumns = Set(identifyingColumns.compactMap(column))
    if case .unique(let key) = knownBy { result.knownBy = .unique(key.compactMap(column)) }
    return result
  }
}

extension TableMerge {
  /// Returns a declaration with the columns of both.
  package func united(with other: TableMerge) -> TableMerge {
    var result = other
    result.columns.merge(columns) { own, _ in own }
    result.references.merge(references) { own, _ in own }
    result.identifyingColumns.formUnion(identifyingColumns)
    return result
  }
}
