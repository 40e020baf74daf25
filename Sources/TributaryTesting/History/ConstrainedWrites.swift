internal import TributaryCore

/// The kinds of writes to tables with constraints; most of them respect the constraints.
struct ConstrainedWrites {
  typealias Step = (purpose: String, statements: [RandomStatement])
  typealias Row = ReferenceContents.Row

  let tables: [ConstrainedTable]
  let schema: ReferenceSchema
  /// The contents before the write; earlier steps may have changed them.
  let contents: ReferenceContents

  func next(_ occasion: WriteOccasion, using random: inout some RandomNumberGenerator) -> Step {
    switch occasion {
    case .any: return next(using: &random)
    case .family:
      return random.once(in: 2)
        ? family(using: &random) : insert(random.pick(tables), using: &random)
    case .loss:
      let parents = Set(tables.flatMap(\.parents))
      let written = tables.filter { parents.contains($0.name) && hasRows($0) }
      return written.isEmpty
        ? next(using: &random) : delete(random.pick(written), using: &random)
    case .change:
      let written = tables.filter(hasRows)
      return written.isEmpty
        ? next(using: &random) : update(random.pick(written), using: &random)
    }
  }

  private func hasRows(_ table: ConstrainedTable) -> Bool {
    !contents.rows(of: table.name).isEmpty
  }

  private func next(using random: inout some RandomNumberGenerator) -> Step {
    let table = random.pick(tables)
    let rows = contents.rows(of: table.name)
    switch rows.count < 2 ? random.number(0...6) : random.number(0...19) {
    case 0...2: return insert(table, using: &random)
    case 3, 4: return family(using: &random)
    case 5 where table.checksReplacements(among: tables):
      return insert(table, verb: "INSERT OR REPLACE", using: &random)
    case 6 where table.checksReplacements(among: tables): return upsert(table, using: &random)
    case 5, 6: return insert(table, using: &random)
    case 7...10: return update(table, using: &random)
    case 11: return refer(table, using: &random)
    case 12: return swap(table, using: &random)
    case 13...16: return delete(table, using: &random)
    case 17: return replace(table, using: &random)
    case 18: return move(table, using: &random)
    default: return insert(table, verb: "INSERT OR IGNORE", using: &random)
    }
  }

  // MARK: Rows

  /// Returns a row whose references usually have parents.
  ///
  /// - Parameter columns: the columns that matter.
  private func row(
    of table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Row {
    var row: Row = [:]
    for column in table.keys + table.others { row[column.name] = column.value(using: &random) }
    for key in schema[table.name].foreignKeys {
      let parents = contents.rows(of: key.parent)
      if random.once(in: 12) { continue }
      guard let parent = parents.randomElement(using: &random)?.row else {
        for column in table.others where key.columns.contains(column.name) && !column.isNotNull {
          row[column.name] = .null
        }
        continue
      }
      for (name, parentName) in zip(key.columns, key.parentColumns) where !random.once(in: 20) {
        let column = (table.keys + table.others).first { $0.name == name }!
        row[name] = column.spelling(parent[parentName.name]!, using: &random)
      }
    }
    for column in table.keys where row[column.name] == .null { row[column.name] = 1 }
    return row
  }

  private func someRow(
    of table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Row {
    random.pick(contents.rows(of: table.name)).row
  }

  private func condition(_ table: ConstrainedTable) -> String {
    table.keys.map { "\($0.name) = ?" }.joined(separator: " AND ")
  }

  private func key(_ table: ConstrainedTable, _ row: Row) -> [Value] {
    table.keys.map { row[$0.name]! }
  }

  // MARK: Steps

  /// Returns the columns of an insert. Numbers are usually left to SQLite, and some other columns
  /// to their defaults.
  private func columns(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> [String] {
    let keys = table.keyKind == .number && !random.once(in: 4) ? [] : table.keys
    let left = random.once(in: 3) ? random.pick(table.others).name : nil
    return (keys + table.others).map(\.name).filter { $0 != left }
  }

  private func insert(
    _ table: ConstrainedTable, verb: String, _ columns: [String], _ row: Row
  ) -> RandomStatement {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return RandomStatement(
      "\(verb) INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
      columns.map { row[$0]! })
  }

  private func insert(
    _ table: ConstrainedTable, verb: String = "INSERT",
    using random: inout some RandomNumberGenerator
  ) -> Step {
    let statements = (0..<(random.once(in: 4) ? 3 : 1)).map { _ in
      insert(
        table, verb: verb, columns(table, using: &random), row(of: table, using: &random))
    }
    return (verb.lowercased(), statements)
  }

  private func upsert(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    let all = (table.keys + table.others).map(\.name)
    var statement = insert(table, verb: "INSERT", all, row(of: table, using: &random))
    let set = random.pick(table.others).name
    let target = table.keys.map(\.name).joined(separator: ", ")
    statement.sql += " ON CONFLICT (\(target)) DO UPDATE SET \(set) = excluded.\(set)"
    return ("upsert", [statement])
  }

  /// Returns a step that inserts a new parent, numbered by SQLite, and its children.
  private func family(using random: inout some RandomNumberGenerator) -> Step {
    let numbered = tables.filter { $0.keyKind == .number }
    guard !numbered.isEmpty else { return insert(random.pick(tables), using: &random) }
    let parent = random.pick(numbered)
    let columns = parent.others.map(\.name)
    var statements = [
      insert(parent, verb: "INSERT", columns, row(of: parent, using: &random))
    ]
    for child in tables {
      for key in schema[child.name].foreignKeys
      where key.parent == parent.name && key.parentColumns[0].name == "k" && random.once(in: 2) {
        let row = row(of: child, using: &random)
        let keys = child.keyKind == .number ? [] : child.keys
        let columns = (keys + child.others).map(\.name).filter { $0 != key.columns[0] }
        var statement = insert(child, verb: "INSERT", columns + [key.columns[0]], row)
        statement.parameters.removeLast()
        statement.sql.removeLast(2)
        statement.sql += "(SELECT max(k) FROM \(parent.name)))"
        statements.append(statement)
      }
    }
    return ("family of \(statements.count)", statements)
  }

  private func update(
    _ table: ConstrainedTable, _ columns: [String], to values: [Value], of row: Row
  ) -> RandomStatement {
    let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
    return RandomStatement(
      "UPDATE \(table.name) SET \(assignments) WHERE \(condition(table))",
      values + key(table, row))
  }

  private func update(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    let columns = table.others.shuffled(using: &random).prefix(random.number(1...2)).map(\.name)
    let new = row(of: table, using: &random)
    return (
      "update",
      [update(table, columns, to: columns.map { new[$0]! }, of: someRow(of: table, using: &random))]
    )
  }

  /// Returns a step that gives a row another parent.
  private func refer(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    guard let foreign = schema[table.name].foreignKeys.randomElement(using: &random) else {
      return update(table, using: &random)
    }
    let new = row(of: table, using: &random)
    return (
      "other parent",
      [
        update(
          table, foreign.columns, to: foreign.columns.map { new[$0]! },
          of: someRow(of: table, using: &random))
      ]
    )
  }

  /// Returns a step in which two rows exchange values by way of a third value.
  private func swap(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    let column = random.pick(table.others)
    let (a, b) = (someRow(of: table, using: &random), someRow(of: table, using: &random))
    let third: Value = column.isNotNull ? (column.kind == .integer ? 99 : "z") : .null
    return (
      "swap",
      [
        update(table, [column.name], to: [third], of: a),
        update(table, [column.name], to: [a[column.name]!], of: b),
        update(table, [column.name], to: [b[column.name]!], of: a),
      ]
    )
  }

  private func delete(_ table: ConstrainedTable, _ row: Row) -> RandomStatement {
    RandomStatement("DELETE FROM \(table.name) WHERE \(condition(table))", key(table, row))
  }

  private func delete(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    if random.once(in: 15) { return ("delete all", [RandomStatement("DELETE FROM \(table.name)")]) }
    return ("delete", [delete(table, someRow(of: table, using: &random))])
  }

  /// Returns a step that deletes and inserts the same key.
  private func replace(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    let old = someRow(of: table, using: &random)
    var new = random.once(in: 2) ? old : row(of: table, using: &random)
    for column in table.keys { new[column.name] = old[column.name] }
    let changed = random.pick(table.others)
    new[changed.name] = changed.value(using: &random)
    let all = (table.keys + table.others).map(\.name)
    return ("replace", [delete(table, old), insert(table, verb: "INSERT", all, new)])
  }

  private func move(
    _ table: ConstrainedTable, using random: inout some RandomNumberGenerator
  ) -> Step {
    let names = table.keys.map(\.name)
    let new = row(of: table, using: &random)
    let column = random.pick(names)
    return (
      "move", [update(table, [column], to: [new[column]!], of: someRow(of: table, using: &random))]
    )
  }
}
