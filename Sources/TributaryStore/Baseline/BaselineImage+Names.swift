import TributaryCore
import TributarySQLite

extension BaselineImage {
  /// Gives the tables and columns of an image the names that they have in a store. The image may have been
  /// made before a migration of the store renamed or dropped something, or by a device whose migrations the
  /// store has not run yet.
  ///
  /// What the store has dropped stays in the tables of the image, but not in its bookkeeping.
  ///
  /// - Parameter path: a copy of the image for this store alone.
  /// - Returns: everything that the image and the store know about names.
  /// - Throws: `Unfit` for names that cannot be read or applied; SQLite's error for a damaged image.
  @discardableResult
  package static func rename(
    _ path: String, for schema: ReplicatedSchema
  ) throws -> NameChanges {
    let tables = try contents(path)
    guard tables.contains(where: { $0.name == facts }) else { return schema.names }
    let image = try open(path, .readWrite)
    defer { image.close() }
    let changes = try names(in: image, and: schema.names)
    let needed = changes.isEmpty ? [] : renamings(of: tables, changes, schema)
    if needed.isEmpty { return changes }
    // If they stayed, SQLite would check them with each statement below.
    for object in try SchemaObject.all(in: image)
    where object.type == "view" || object.type == "trigger" {
      try image.execute("DROP \(object.type) main.\(object.name.quotedIdentifier)")
    }
    try image.immediate {
      for change in needed {
        if let statement = change.statement { try image.execute(statement) }
        try change.carryOut(in: image, schema)
      }
    }
    return changes
  }

  /// Returns what an image lacks because a migration dropped it where the image was made, while a store still
  /// has it; each as a phrase.
  package static func dropped(
    from path: String, of schema: ReplicatedSchema
  ) throws -> [String] {
    let tables = try contents(path)
    guard tables.contains(where: { $0.name == facts }) else { return [] }
    let image = try open(path, .readOnly)
    defer { image.close() }
    let said = try names(in: image, and: NameChanges())
    guard said.hasDrops else { return [] }
    var changes = schema.names
    changes.add(said.all)
    return schema.tables.filter { $0.refusal == nil }.flatMap { table -> [String] in
      let own = changes.names(of: SQLName(table.name))
      guard let there = tables.first(where: { own.contains(SQLName($0.name)) }) else {
        return said.all.compactMap(\.droppedTable).contains(where: own.contains)
          ? ["table \(table.name)"] : []
      }
      let columns = Set(there.columns.map { SQLName($0) })
      return table.shape.columns.filter { column in
        let names = changes.names(ofColumn: SQLName(column), of: SQLName(table.name))
        return names.isDisjoint(with: columns)
          && said.all.contains { change in
            guard case .droppedColumn(let dropped, let table) = change else { return false }
            return own.contains(table) && names.contains(dropped)
          }
      }.map { "column \($0) of table \(table.name)" }
    }
  }

  private static func names(
    in image: Connection, and known: NameChanges
  ) throws -> NameChanges {
    var changes = known
    guard case .text(let text)? = try readFacts(image, in: "main")[Settings.Key.names.rawValue]
    else { return changes }
    for line in Settings.lines(String(decoding: text, as: UTF8.self)) {
      guard let change = NameChange(line) else {
        throw Unfit("it has a renaming that cannot be read: \(line)")
      }
      changes.add([change])
    }
    return changes
  }

  /// Returns what has another name in the store, or no name there: columns first, with the table's name in
  /// the image.
  private static func renamings(
    of tables: [(name: String, columns: [String])], _ changes: NameChanges,
    _ schema: ReplicatedSchema
  ) -> [NameChange] {
    var found: [NameChange] = []
    for (name, columns) in tables where !SQLName(name).hasPrefix("tributary_") {
      let old = SQLName(name)
      switch changes.meaning(of: name, among: schema) {
      case .unknown: continue
      case .dropped: found.append(.droppedTable(old))
      case .present(let present):
        guard let table = schema.table(named: present) else { continue }
        for column in columns {
          switch changes.meaning(of: column, in: name, among: table) {
          case .present(let new) where SQLName(new) != SQLName(column):
            found.append(.renamedColumn(SQLName(column), of: old, to: SQLName(new)))
          case .dropped: found.append(.droppedColumn(SQLName(column), of: old))
          case .present, .unknown: continue
          }
        }
        if SQLName(present) != old { found.append(.renamedTable(old, to: SQLName(present))) }
      }
    }
    return found
  }
}

extension NameChange {
  /// The statement that renames; `nil` for something that was dropped.
  fileprivate var statement: String? {
    switch self {
    case .renamedTable(let old, let new):
      "ALTER TABLE main.\(old.text.quotedIdentifier) RENAME TO \(new.text.quotedIdentifier)"
    case .renamedColumn(let old, let table, let new):
      "ALTER TABLE main.\(table.text.quotedIdentifier) RENAME COLUMN \(old.text.quotedIdentifier) TO \(new.text.quotedIdentifier)"
    case .droppedTable, .droppedColumn: nil
    }
  }
}
