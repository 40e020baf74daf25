internal import TributaryCore
internal import TributarySQLite

/// Makes a random `FormTable`.
struct FormTableMaker {
  private enum Key: CaseIterable {
    case number, single, composite, unique, nullableUnique, none

    var isPrimary: Bool { self == .number || self == .single || self == .composite }
  }

  private let number: Int
  private let parents: [FormTable]
  private let name: String
  private var names: FormNames
  private let isPlain: Bool
  private let key: Key
  private let isStrict: Bool
  private let hasRowID: Bool
  private var columns: [FormColumn] = []
  private var keyCount = 0
  private var collations: [ReferenceCollation] = []
  private var lines: [String] = []
  private var indexes: [String] = []

  init(
    _ number: Int, named name: String, parents: [FormTable],
    using random: inout some RandomNumberGenerator
  ) {
    self.number = number
    self.name = name
    self.parents = parents
    names = FormNames(ofColumns: true, using: &random)
    isPlain = random.once(in: 3)
    let key = random.pick(Key.allCases)
    self.key = key
    isStrict = random.once(in: 4)
    hasRowID = !key.isPrimary || !random.once(in: 3)
  }

  private mutating func makeColumn(
    _ type: String? = nil, using random: inout some RandomNumberGenerator
  ) -> FormColumn {
    FormColumn(
      name: names.next(plain: isPlain),
      type: type ?? random.pick(isStrict ? FormColumn.strictTypes : FormColumn.types),
      isStrict: isStrict)
  }

  mutating func make(using random: inout some RandomNumberGenerator) -> FormTable {
    let clause =
      random.once(in: 4)
      ? ConflictClause.random(replacing: true, using: &random)?.definition ?? "" : ""
    var keyLine = makeKey(clause, using: &random)
    addColumns(using: &random)
    addReferences(using: &random)
    var places = Array(0..<keyCount)
    // The key need not come first.
    if keyCount > 0, random.once(in: 3) {
      columns = Array(columns[keyCount...] + columns[..<keyCount])
      places = places.map { $0 + columns.count - keyCount }
    }
    if keyCount > 1, random.once(in: 2) {
      places.reverse()
      collations.reverse()
      keyLine.reverse()
    }
    if !keyLine.isEmpty { declareKey(keyLine.joined(separator: ", "), clause, using: &random) }
    addUniqueKeys(using: &random)
    var options = hasRowID ? [] : ["WITHOUT ROWID"]
    if isStrict { options.append("STRICT") }
    let body = (columns.map(\.definition) + lines).joined(separator: ",\n  ")
    let taken = Set(columns.map { SQLName($0.name) })
    let hasSecondKey =
      lines.contains { $0.hasPrefix("UNIQUE") } && key != .unique && key != .nullableUnique
    return FormTable(
      name: name, columns: columns, keyColumns: places, keyCollations: collations,
      isNumbered: key.isPrimary && hasRowID && keyCount == 1
        && columns[places[0]].type == "INTEGER",
      hasSecondKey: hasSecondKey,
      rowIdentifier: ["_rowid_", "rowid", "oid"].first { hasRowID && !taken.contains(SQLName($0)) },
      createStatements: [
        "CREATE TABLE \(name.quotedIdentifier) (\n  \(body)\n) \(options.joined(separator: ", "))"
      ] + indexes)
  }

  /// Adds the columns of the key.
  ///
  /// - Returns: the declaration of each part, unless a column declares the key.
  private mutating func makeKey(
    _ clause: String, using random: inout some RandomNumberGenerator
  ) -> [String] {
    switch key {
    case .none: return []
    case .number:
      keyCount = 1
      collations = [.binary]
      var column = makeColumn("INTEGER", using: &random)
      if random.once(in: 2) {
        columns.append(column)
        return [column.quoted]
      }
      let isLasting = hasRowID && random.once(in: 3)
      column.clauses.append("PRIMARY KEY\(clause)" + (isLasting ? " AUTOINCREMENT" : ""))
      columns.append(column)
      return []
    case .single, .unique, .nullableUnique: keyCount = key == .single || random.once(in: 2) ? 1 : 2
    case .composite: keyCount = random.number(2...3)
    }
    var parts: [String] = []
    for _ in 0..<keyCount {
      var column = makeColumn(using: &random)
      if random.once(in: 2) { column.collate(random.pick(ReferenceCollation.allCases)) }
      if key == .unique || key != .nullableUnique && random.once(in: 2) {
        column.declareNotNull(using: &random)
      }
      var part = column.quoted
      var collation = column.collation
      if random.once(in: 5) {
        collation = random.pick(ReferenceCollation.allCases)
        part += " COLLATE \(collation.rawValue)"
      }
      if random.once(in: 5) { part += " DESC" }
      collations.append(collation)
      parts.append(part)
      columns.append(column)
    }
    return parts
  }

  private mutating func declareKey(
    _ list: String, _ clause: String, using random: inout some RandomNumberGenerator
  ) {
    switch key {
    case .unique, .nullableUnique:
      if random.once(in: 2) {
        indexes.append(
          "CREATE UNIQUE INDEX \("key of \(name)".quotedIdentifier) ON \(name.quotedIdentifier) (\(list))"
        )
      } else {
        lines.append("UNIQUE (\(list))\(clause)")
      }
    default: lines.append("PRIMARY KEY (\(list))\(clause)")
    }
  }

  private mutating func addColumns(using random: inout some RandomNumberGenerator) {
    for _ in 0..<random.number(keyCount == 0 ? 1...4 : 0...4) {
      var column = makeColumn(using: &random)
      column.decorate(using: &random)
      columns.append(column)
    }
    while columns.count < 16, random.once(in: 3) {
      var column = makeColumn(using: &random)
      column.generate(from: random.pick(columns.filter { !$0.isGenerated }), using: &random)
      columns.insert(column, at: random.number(keyCount...columns.count))
    }
    let plain = columns.filter { !$0.isGenerated }
    if plain.count > 1, random.once(in: 8) {
      lines.append("CHECK (\(plain[0].quoted) IS NOT 'x' OR \(plain[1].quoted) IS NOT 'x')")
    }
  }

  /// Adds columns that refer to the key of another table, or to the table itself.
  private mutating func addReferences(using random: inout some RandomNumberGenerator) {
    if Self.isQuoted(name) { return }
    while random.once(in: 3) {
      let isSelf = keyCount == 1 && (parents.isEmpty || random.once(in: 3))
      let parent =
        isSelf ? nil : parents.filter { $0.keyColumns.count == 1 }.randomElement(using: &random)
      guard isSelf || parent != nil else { return }
      let target = isSelf ? columns[0] : parent!.columns[parent!.keyColumns[0]]
      // SQLite requires the parent's key to have the column's own collation.
      if (isSelf ? collations : parent!.keyCollations)[0] != target.collation { return }
      let type = isStrict == target.isStrict ? target.type : isStrict ? "ANY" : ""
      var column = makeColumn(type, using: &random)
      if Self.isQuoted(column.name) || Self.isQuoted(target.name)
        || Self.isQuoted(parent?.name ?? "")
      {
        return
      }
      column.reference = isSelf ? number : parents.firstIndex { $0.name == parent!.name }!
      if target.collation != .binary { column.collate(target.collation) }
      if random.once(in: 6) { column.declareNotNull(using: &random) }
      // SQLite 3.40 lets a REPLACE leave rows without parents if tables refer to themselves with SET NULL.
      let actions =
        ["CASCADE", "SET DEFAULT", "RESTRICT", "NO ACTION"] + (isSelf ? [] : ["SET NULL"])
      let table = isSelf ? name : parent!.name
      lines.append(
        "FOREIGN KEY (\(column.quoted)) REFERENCES \(table.quotedIdentifier) (\(target.quoted)) "
          + "ON DELETE \(random.pick(actions)) ON UPDATE \(random.pick(actions))"
          + (random.once(in: 3) ? " DEFERRABLE INITIALLY DEFERRED" : ""))
      columns.append(column)
    }
  }

  /// Whether a column may be the whole key, for which SQLite accepts no second declaration with another
  /// clause.
  private func isKey(_ column: FormColumn) -> Bool {
    keyCount == 1 && (columns.first?.name == column.name || columns.last?.name == column.name)
  }

  /// Whether SQLite's own foreign key actions confuse a name with another one in quotes.
  private static func isQuoted(_ name: String) -> Bool {
    name.utf8.first.map { "`[\"'".utf8.contains($0) } ?? false
  }

  private mutating func addUniqueKeys(using random: inout some RandomNumberGenerator) {
    guard let column = columns.filter({ !$0.isClock }).randomElement(using: &random),
      random.once(in: 4)
    else { return }
    let start = "CREATE UNIQUE INDEX \("also \(name)".quotedIdentifier) ON \(name.quotedIdentifier)"
    switch random.number(0...3) {
    case 0: indexes.append("\(start) (hex(\(column.quoted)), typeof(\(column.quoted)))")
    case 1: indexes.append("\(start) (\(column.quoted)) WHERE \(column.quoted) > 5")
    case 2 where key.isPrimary || key == .unique:
      indexes.append("\(start) (\(column.quoted) COLLATE NOCASE)")
    case 3 where key.isPrimary && !column.isGenerated && !isKey(column):
      let clause = ConflictClause.random(replacing: true, using: &random)?.definition ?? ""
      lines.append("UNIQUE (\(column.quoted))\(clause)")
    default:
      indexes.append(
        "CREATE INDEX \("by \(name)".quotedIdentifier) ON \(name.quotedIdentifier) (\(column.quoted))"
      )
    }
  }
}
