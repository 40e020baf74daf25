internal import TributaryCore

/// A table of a random schema with constraints.
struct ConstrainedTable: Sendable {
  /// The kind of key of a row.
  enum KeyKind: CaseIterable, Sendable {
    /// Numbered by SQLite.
    case number
    case integerWithoutRowID, text, composite
    /// The key of another table, alone or with a number.
    case shared, member
  }

  let name: String
  private(set) var keyKind: KeyKind
  private(set) var keys: [ConstrainedColumn]
  private(set) var others: [ConstrainedColumn]
  private var uniqueKeys: [ConstrainedUniqueKey] = []
  private var foreignKeys: [ConstrainedForeignKey] = []
  private var hasRowID: Bool
  private var keyClause: ConflictClause?
  private var declaration = KeyDeclaration.primary

  /// Makes a table without foreign keys, except for the one of its primary key.
  ///
  /// - Parameter parents: the tables whose keys it may share.
  init(
    _ place: Int, _ names: RandomNames, parents: [ConstrainedTable],
    using random: inout some RandomNumberGenerator
  ) {
    name = names.table(place)
    let parent = parents.filter { $0.keys.count == 1 }.randomElement(using: &random)
    keyKind = random.once(in: 2) ? .number : random.pick(KeyKind.allCases)
    if parent == nil, keyKind == .shared || keyKind == .member { keyKind = .number }
    let number = ConstrainedColumn(name: "k", kind: .integer)
    let text = ConstrainedColumn(
      name: "k", kind: random.pick([.text, .nocase]), isNotNull: true)
    var second = ConstrainedColumn(name: "l", kind: .integer, isNotNull: true)
    hasRowID = !random.once(in: 3)
    switch keyKind {
    case .number:
      keys = [number]
      hasRowID = true
    case .integerWithoutRowID:
      keys = [number]
      keys[0].isNotNull = true
      hasRowID = false
    case .text: keys = [text]
    case .composite:
      keys = [text, second]
    case .shared, .member:
      var shared = parent!.keys[0]
      shared.isNotNull = true
      if shared.kind == .integer, random.once(in: 4) {
        shared.kind = random.pick([.numeral, .any])
      }
      second.kind = random.pick(ConstrainedColumn.Kind.plain)
      keys = keyKind == .shared ? [shared] : [shared, second].shuffled(using: &random)
    }
    others = (0..<random.number(2...3)).map { number in
      var column = ConstrainedColumn(
        name: names.column(number), kind: random.pick(ConstrainedColumn.Kind.plain))
      if random.once(in: 4) { column.isNotNull = true }
      if random.once(in: 3) { column.defaultValue = column.kind.defaultValue }
      return column
    }
    if keyKind == .shared || keyKind == .member {
      refer([parent!.keys[0].name], to: parent!.name, parent!.keys, using: &random)
    }
  }

  /// Adds columns that refer to the key of another table, or to its own.
  mutating func refer(to parent: ConstrainedTable, using random: inout some RandomNumberGenerator) {
    let candidates = [parent.keys, parent.keys] + parent.uniqueKeys.map(\.columns)
    let target = random.pick(candidates.filter { !$0.isEmpty })
    let isNotNull = random.once(in: 6)
    let hasDefaults = random.once(in: 2)
    let start = others.count
    for (index, part) in target.enumerated() {
      var column = part
      column.name = "f\(start + index)"
      column.isNotNull = isNotNull
      if part.kind == .integer, random.once(in: 3) {
        column.kind = random.pick([.numeral, .any])
      }
      column.defaultValue = hasDefaults ? column.kind.defaultValue : .null
      others.append(column)
    }
    refer(others[start...].map(\.name), to: parent.name, target, using: &random)
  }

  private mutating func refer(
    _ columns: [String], to parent: String, _ parentColumns: [ConstrainedColumn],
    using random: inout some RandomNumberGenerator
  ) {
    foreignKeys.append(
      ConstrainedForeignKey(columns, to: parent, parentColumns, using: &random))
  }

  mutating func addUniqueKey(using random: inout some RandomNumberGenerator) {
    // SQLite treats two equal keys as one.
    let key = ConstrainedUniqueKey(
      name: "\(name)u\(uniqueKeys.count)", table: name, columns: others, using: &random)
    if uniqueKeys.contains(where: { $0.model.columns == key.model.columns }) { return }
    uniqueKeys.append(key)
  }

  /// Removes the primary key.
  ///
  /// - Parameter isParent: whether tables refer to it.
  mutating func leavePrimaryKeyOut(isParent: Bool) {
    if keyKind != .number {
      declaration = .unique
      hasRowID = true
    } else if !isParent {
      declaration = .none
      keys[0].name = "_rowid_"
    }
  }

  /// Removes some foreign keys. Their references are still followed.
  ///
  /// - Parameter isNumber: whether a column of a table holds numbers that SQLite gives to rows.
  mutating func leaveForeignKeysOut(
    isNumber: (_ table: String, _ column: String) -> Bool,
    using random: inout some RandomNumberGenerator
  ) {
    for index in foreignKeys.indices {
      let key = foreignKeys[index].model
      guard key.columns.count == 1, isNumber(key.parent, key.parentColumns[0].name),
        key.parent != name || key.parentColumns[0].name != key.columns[0], random.once(in: 2)
      else { continue }
      foreignKeys[index].isDeclared = false
      foreignKeys[index].model.isEnforced = false
    }
  }

  /// Keeps its foreign keys from being enforced; they are still followed.
  mutating func keepForeignKeys() {
    for index in foreignKeys.indices { foreignKeys[index].model.isEnforced = false }
  }

  /// The references without a foreign key.
  var undeclared: [ReferenceForeignKey] { foreignKeys.filter { !$0.isDeclared }.map(\.model) }

  /// Adds conflict clauses to its constraints.
  ///
  /// - Parameter replacing: whether these may delete rows.
  mutating func declareConflicts(
    replacing: Bool, using random: inout some RandomNumberGenerator
  ) {
    keyClause = .random(replacing: replacing, using: &random)
    for index in uniqueKeys.indices {
      uniqueKeys[index].clause = .random(replacing: replacing, using: &random)
    }
    for index in others.indices {
      others[index].notNullClause = .random(replacing: true, using: &random)
    }
  }

  /// A copy that triggers maintain. `nil` if rows that refer to themselves follow an update of their key:
  /// SQLite runs that action before the triggers of the update itself, and these then see the row in a state
  /// that it has never had.
  var copy: TableCopy? {
    foreignKeys.contains {
      $0.model.parent == name && ![.noAction, .restrict].contains($0.onUpdate)
    }
      ? nil : TableCopy(table: name, columns: (keys + others).map(\.name))
  }

  /// Returns columns that may make rows the same, often the columns of a UNIQUE key.
  func identifyingColumns(
    using random: inout some RandomNumberGenerator
  ) -> [ReferenceKeyColumn] {
    let unique = uniqueKeys.map(\.columns).filter { !$0.isEmpty }
    let columns =
      !unique.isEmpty && random.once(in: 2)
      ? random.pick(unique) : Array(others.shuffled(using: &random).prefix(random.number(1...2)))
    // In the order of the table.
    return others.filter { other in columns.contains { $0.name == other.name } }.map(\.keyColumn)
  }

  // MARK: What it comes to

  /// The tables that it refers to.
  var parents: Set<String> { Set(foreignKeys.map(\.model.parent)) }

  /// Whether one of its foreign keys may write NULL.
  var setsNull: Bool {
    foreignKeys.contains { $0.model.onDelete == .setNull || $0.onUpdate == .setNull }
  }

  /// Whether REPLACE and upserts reject rows without parents: SQLite 3.40 does not check that if tables refer
  /// to each other in a circle with SET NULL.
  func checksReplacements(among tables: [ConstrainedTable]) -> Bool {
    var reached = parents
    for _ in tables {
      for parent in tables where reached.contains(parent.name) { reached.formUnion(parent.parents) }
    }
    return !reached.contains(name)
      || !tables.contains { $0.setsNull && (reached.contains($0.name) || $0.name == name) }
  }

  var createStatements: [String] {
    var lines = ((declaration == .none ? [] : keys) + others).map(\.definition)
    let key = "KEY (\(keys.map(\.name).joined(separator: ", ")))" + (keyClause?.definition ?? "")
    switch declaration {
    case .primary: lines.append("PRIMARY \(key)")
    case .unique: lines.append("UNIQUE \(key.dropFirst(4))")
    case .none: break
    }
    var indexes: [String] = []
    for key in inOrderOfMaking {
      switch key.place {
      case .table(let line): lines.append(line + (key.clause?.definition ?? ""))
      case .index(let statement): indexes.append(statement)
      }
    }
    lines += foreignKeys.filter(\.isDeclared).map(\.definition)
    let table = "CREATE TABLE \(name) (\n  \(lines.joined(separator: ",\n  "))\n)"
    return [table + (hasRowID ? "" : " WITHOUT ROWID")] + indexes
  }

  private var inOrderOfMaking: [ConstrainedUniqueKey] {
    uniqueKeys.filter { !$0.isIndex } + uniqueKeys.filter(\.isIndex)
  }

  var model: ReferenceTable {
    ReferenceTable(
      name: name, columns: (keys + others).map(\.model), keyColumns: keys.map(\.keyColumn),
      hasGeneratedKeys: declaration != .unique && hasRowID && keys.count == 1
        && keys[0].kind == .integer,
      keepsEqualRowsApart: declaration == .none,
      uniqueKeys: inOrderOfMaking.map(\.model),
      // SQLite lists the last one first.
      foreignKeys: foreignKeys.reversed().map(\.model))
  }
}
