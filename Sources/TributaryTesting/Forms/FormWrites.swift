internal import TributaryCore
internal import TributarySQLite

/// Random writes to tables of any form, with every kind of statement that SQLite has.
package struct FormWrites {
  let schema: FormSchema
  let contents: FormContents
  /// Whether values of keys may be NULL if the table allows it.
  let allowsNullKeys: Bool

  package init(_ schema: FormSchema, _ contents: FormContents, allowingNullKeys: Bool) {
    self.schema = schema
    self.contents = contents
    allowsNullKeys = allowingNullKeys
  }

  /// Returns the statements of one transaction.
  package func next(using random: inout SeededGenerator) -> RandomWrite {
    var statements: [RandomStatement] = []
    for _ in 0..<random.pick([1, 1, 2, 3, 5]) {
      let step = statement(random.pick(schema.tables.indices), using: &random)
      if random.once(in: 10) {
        statements += [RandomStatement("SAVEPOINT \"s p\"")] + step
        if random.once(in: 2) { statements.append(RandomStatement("ROLLBACK TO \"s p\"")) }
        statements.append(RandomStatement("RELEASE \"s p\""))
      } else {
        statements += step
      }
    }
    return RandomWrite("", statements)
  }

  private func statement(_ number: Int, using random: inout SeededGenerator) -> [RandomStatement] {
    let rows = contents.rows[number].count
    return switch rows == 0 ? random.number(0...6) : random.number(0...17) {
    case 0...2:
      [
        insert(
          number, random.pick(["INSERT", "INSERT OR IGNORE", "INSERT OR FAIL"]), using: &random)
      ]
    case 3:
      [
        insert(
          number, random.pick(["REPLACE", "INSERT OR ROLLBACK", "INSERT OR REPLACE"]),
          using: &random)
      ]
    case 4: [upsert(number, using: &random)]
    case 5: [insertMany(number, using: &random)]
    case 6: [insertDefaults(number, using: &random)]
    case 7...10: [update(number, using: &random)]
    case 11: [updateFrom(number, using: &random)]
    case 12, 13: [move(number, using: &random)]
    case 14: deleteAndInsert(number, using: &random)
    case 15:
      [
        RandomStatement(
          "UPDATE \(schema.tables[number].quoted) SET \(sameness(number, using: &random))")
      ]
    default: [delete(number, using: &random)]
    }
  }

  // MARK: Values

  private func value(_ table: FormTable, _ place: Int, using random: inout SeededGenerator) -> Value
  {
    let column = table.columns[place]
    if table.keyColumns.contains(place) {
      if allowsNullKeys, random.once(in: 40) { return .null }
      if table.isNumbered { return .integer(Int64(random.number(-2...9))) }
      return FormValues.key(column.valueType, using: &random)
    }
    if let parent = column.reference {
      let keys = contents.rows[parent].keys.sorted()
      if !keys.isEmpty, !random.once(in: 8) {
        return schema.tables[parent].key(of: contents.rows[parent][random.pick(keys)]!)[0]
      }
      return column.isNotNull || random.once(in: 8) ? column.value(using: &random) : .null
    }
    return column.value(using: &random)
  }

  /// Returns some stored columns, including those of the key unless SQLite provides the key.
  private func columns(_ table: FormTable, using random: inout SeededGenerator) -> [Int] {
    let others = table.storedPlaces.filter { !table.keyColumns.contains($0) }
    let some = random.once(in: 2) ? others : others.filter { _ in !random.once(in: 3) }
    let key = table.isNumbered && random.once(in: 3) ? [] : table.keyColumns
    return (key + some).shuffled(using: &random)
  }

  private func key(_ number: Int, using random: inout SeededGenerator) -> [Value] {
    let table = schema.tables[number]
    let keys = contents.rows[number].keys.sorted()
    if let key = keys.randomElement(using: &random) {
      return table.key(of: contents.rows[number][key]!)
    }
    return table.keyColumns.isEmpty
      ? [1] : table.keyColumns.map { value(table, $0, using: &random) }
  }

  private func condition(_ table: FormTable) -> String {
    table.quotedKey.map { "\($0) IS ?" }.joined(separator: " AND ")
  }

  private func names(_ table: FormTable, _ columns: [Int]) -> String {
    columns.map { table.columns[$0].quoted }.joined(separator: ", ")
  }

  private func marks(_ columns: [Int]) -> String {
    columns.map { _ in "?" }.joined(separator: ", ")
  }

  // MARK: Statements

  private func insert(
    _ number: Int, _ verb: String, using random: inout SeededGenerator
  ) -> RandomStatement {
    let table = schema.tables[number]
    let columns = columns(table, using: &random)
    if columns.isEmpty { return insertDefaults(number, using: &random) }
    let count = random.once(in: 3) ? 3 : 1
    let values = (0..<count).flatMap { _ in columns.map { value(table, $0, using: &random) } }
    let list = (0..<count).map { _ in "(\(marks(columns)))" }.joined(separator: ", ")
    let returning = random.once(in: 5) ? " RETURNING *" : ""
    return RandomStatement(
      "\(verb) INTO \(table.quoted) (\(names(table, columns))) VALUES \(list)\(returning)", values)
  }

  private func insertDefaults(_ number: Int, using random: inout SeededGenerator) -> RandomStatement
  {
    let table = schema.tables[number]
    if table.keyColumns.isEmpty || table.isNumbered || allowsNullKeys {
      return RandomStatement("INSERT INTO \(table.quoted) DEFAULT VALUES")
    }
    let key = table.keyColumns
    return RandomStatement(
      "INSERT OR IGNORE INTO \(table.quoted) (\(names(table, key))) VALUES (\(marks(key)))",
      key.map { value(table, $0, using: &random) })
  }

  private func upsert(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    var statement = insert(number, "INSERT", using: &random)
    guard !table.keyColumns.isEmpty, !statement.sql.contains("DEFAULT VALUES"),
      !statement.sql.contains("RETURNING")
    else { return statement }
    let others = table.storedPlaces.filter { !table.keyColumns.contains($0) }
    let target = names(table, table.keyColumns)
    if let other = others.randomElement(using: &random), !random.once(in: 4) {
      let column = table.columns[other].quoted
      statement.sql += " ON CONFLICT (\(target)) DO UPDATE SET \(column) = excluded.\(column)"
      if random.once(in: 3) { statement.sql += " WHERE \(table.quoted).\(column) IS NOT NULL" }
    } else {
      statement.sql +=
        random.once(in: 2) ? " ON CONFLICT DO NOTHING" : " ON CONFLICT (\(target)) DO NOTHING"
    }
    if random.once(in: 2) { statement.sql += " RETURNING 1" }
    return statement
  }

  /// Returns an insert of many rows with different keys.
  private func insertMany(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    let columns =
      table.keyColumns + table.storedPlaces.filter { !table.keyColumns.contains($0) }.prefix(1)
    let first = random.number(10...40)
    let parts = columns.map { place in
      ["TEXT", "BLOB"].contains(table.columns[place].valueType)
        ? (table.columns[place].valueType == "TEXT" ? "'n' || i" : "CAST('n' || i AS BLOB)") : "i"
    }
    return RandomStatement(
      """
      WITH RECURSIVE n (i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + 12)) \
      INSERT OR IGNORE INTO \(table.quoted) (\(names(table, columns))) \
      SELECT \(parts.joined(separator: ", ")) FROM n WHERE true
      """)
  }

  private func update(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    let others = table.storedPlaces.filter { !table.keyColumns.contains($0) }
    let columns = others.filter { _ in random.once(in: 2) }
    if columns.isEmpty { return move(number, using: &random) }
    let verb = random.pick(["UPDATE", "UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"])
    let list = columns.map { "\(table.columns[$0].quoted) = ?" }.joined(separator: ", ")
    let values = columns.map { value(table, $0, using: &random) }
    let returning = random.once(in: 5) ? " RETURNING \(names(table, columns))" : ""
    if random.once(in: 6) {
      // Otherwise, the rows that a conflict leaves would depend on the order in which SQLite finds
      // them.
      return RandomStatement("UPDATE \(table.quoted) SET \(list)\(returning)", values)
    }
    return RandomStatement(
      "\(verb) \(table.quoted) SET \(list) WHERE \(condition(table))\(returning)",
      values + key(number, using: &random))
  }

  private func updateFrom(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    let others = table.storedPlaces.filter { !table.keyColumns.contains($0) }
    guard let column = others.randomElement(using: &random) else {
      return delete(number, using: &random)
    }
    let key = key(number, using: &random)
    let keys = key.indices.map { "k\($0)" }
    let match = zip(table.quotedKey, keys).map { "\($0) IS given.\($1)" }.joined(separator: " AND ")
    return RandomStatement(
      """
      UPDATE \(table.quoted) SET \(table.columns[column].quoted) = given.v \
      FROM (SELECT \(keys.map { "? AS \($0)" }.joined(separator: ", ")), ? AS v) AS given WHERE \(match)
      """, key + [value(table, column, using: &random)])
  }

  /// Returns an update of a key, sometimes to another spelling of it.
  private func move(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    guard !table.keyColumns.isEmpty else { return delete(number, using: &random) }
    let place = random.pick(table.keyColumns)
    let verb = random.pick(["UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"])
    return RandomStatement(
      "\(verb) \(table.quoted) SET \(table.columns[place].quoted) = ? WHERE \(condition(table))",
      [value(table, place, using: &random)] + key(number, using: &random))
  }

  /// Returns assignments that leave everything as it is.
  private func sameness(_ number: Int, using random: inout SeededGenerator) -> String {
    let table = schema.tables[number]
    let column = table.columns[random.pick(table.storedPlaces)].quoted
    return "\(column) = \(column)"
  }

  private func delete(_ number: Int, using random: inout SeededGenerator) -> RandomStatement {
    let table = schema.tables[number]
    if random.once(in: 12) { return RandomStatement("DELETE FROM \(table.quoted)") }
    return RandomStatement(
      "DELETE FROM \(table.quoted) WHERE \(condition(table))", key(number, using: &random))
  }

  private func deleteAndInsert(_ number: Int, using random: inout SeededGenerator)
    -> [RandomStatement]
  {
    let table = schema.tables[number]
    guard !table.keyColumns.isEmpty, let row = contents.sorted(number).randomElement(using: &random)
    else { return [insert(number, "INSERT", using: &random)] }
    let columns = table.storedPlaces
    return [
      RandomStatement("DELETE FROM \(table.quoted) WHERE \(condition(table))", table.key(of: row)),
      RandomStatement(
        "INSERT INTO \(table.quoted) (\(names(table, columns))) VALUES (\(marks(columns)))",
        Array(row.prefix(columns.count))),
    ]
  }
}
