/// Generates, from a seed, a schema and writes for it that often collide when several devices run
/// them.
///
/// The generator knows SQL and the model, but nothing about stores: its caller runs the writes and provides
/// the contents of the tables. The same seed and the same contents give the same writes.
package struct HistoryGenerator: Sendable {
  package let seed: UInt64
  package let schema: ReferenceSchema

  /// The statements that create the tables of `schema`.
  package let createStatements: [String]

  private var random: SeededGenerator
  private let tables: [RandomTable]
  private let constrained: [ConstrainedTable]

  /// Tables besides those of `schema`, maintained by triggers; statements that write must fire them
  /// for rows that REPLACE deletes, too.
  package let copies: [TableCopy]

  /// Whether foreign keys are declared but not enforced.
  package let keepsForeignKeys: Bool

  /// The references without a foreign key, by table.
  package let undeclared: [(table: String, reference: ReferenceForeignKey)]

  /// Makes a generator.
  ///
  /// - Parameters:
  ///   - isConstrained: whether the tables have constraints; otherwise, they have columns of any types.
  ///   - isSpecial: whether some of those tables have conflict clauses, and some have copies that triggers
  ///     maintain.
  ///   - isKeyless: whether some tables have no primary key.
  ///   - isPositive: whether displaced rows of some tables take positive numbers. There are so few that they
  ///     collide with others.
  ///   - isLoose: whether some references are followed but not enforced.
  ///   - isIdentified: whether rows of some tables count as the same if they are inserted independently with
  ///     equal values.
  package init(
    seed: UInt64, constrained isConstrained: Bool = false, special isSpecial: Bool = false,
    keyless isKeyless: Bool = false, positive isPositive: Bool = false, loose isLoose: Bool = false,
    identified isIdentified: Bool = false
  ) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let names = RandomNames(seed: seed)
    // A separate generator, so that a history is otherwise the same as without it.
    var keys = SeededGenerator(seed: seed ^ 0x6b65_796c)
    let isKeyless = isKeyless && keys.once(in: 2)
    tables =
      isConstrained
      ? []
      : Self.makeTables(names, using: &random) {
        isKeyless ? keys.pick(KeyDeclaration.allCases) : .primary
      }
    var constrained = isConstrained ? Self.makeConstrainedTables(names, using: &random) : []
    if isKeyless {
      let parents = Set(constrained.flatMap(\.parents))
      for number in constrained.indices where keys.once(in: 2) {
        constrained[number].leavePrimaryKeyOut(
          isParent: parents.contains(constrained[number].name))
      }
    }
    var loose = SeededGenerator(seed: seed ^ 0x6c6f_6f73_65)
    if isLoose, loose.once(in: 2) {
      let all = ReferenceSchema(tables: constrained.map(\.model))
      for number in constrained.indices {
        constrained[number].leaveForeignKeysOut(
          isNumber: { all.numberedTable(of: $1, in: all[$0]) != nil }, using: &loose)
      }
    }
    keepsForeignKeys = isLoose && loose.once(in: 3)
    if keepsForeignKeys {
      for number in constrained.indices { constrained[number].keepForeignKeys() }
    }
    undeclared = constrained.flatMap { table in table.undeclared.map { (table.name, $0) } }
    var special = SeededGenerator(seed: ~seed)
    if isSpecial, special.once(in: 2) {
      for number in constrained.indices {
        constrained[number].declareConflicts(
          replacing: constrained[number].checksReplacements(among: constrained), using: &special)
      }
    }
    copies = isSpecial && special.once(in: 2) ? constrained.compactMap(\.copy) : []
    self.constrained = constrained
    var models = tables.map(\.model) + constrained.map(\.model)
    var numbers = SeededGenerator(seed: seed ^ 0x706f_7369_7469_7665)
    if isPositive, !keepsForeignKeys, undeclared.isEmpty, numbers.once(in: 2) {
      for number in models.indices
      where models[number].hasNumberings && !models[number].keepsEqualRowsApart
        && numbers.once(in: 2)
      {
        models[number].positiveBits = numbers.number(1...4)
      }
    }
    var equals = SeededGenerator(seed: seed ^ 0x6964_656E_7469_6679)
    if isIdentified, !equals.once(in: 3) {
      for number in models.indices
      where models[number].hasNumberings && !models[number].keepsEqualRowsApart
        && models[number].positiveBits == nil && !equals.once(in: 4)
      {
        models[number].identifyingColumns =
          isConstrained
          ? constrained[number].identifyingColumns(using: &equals)
          : [ReferenceKeyColumn(equals.pick(tables[number].otherColumns))]
      }
    }
    schema = ReferenceSchema(tables: models)
    createStatements =
      tables.map(\.createStatement) + constrained.flatMap(\.createStatements)
      + copies.flatMap(\.createStatements)
  }

  private static func makeTables(
    _ names: RandomNames, using random: inout SeededGenerator, declaring: () -> KeyDeclaration
  ) -> [RandomTable] {
    (0..<random.number(1...3)).map {
      RandomTable($0, names, declaring: declaring(), using: &random)
    }
  }

  private static func makeConstrainedTables(
    _ names: RandomNames, using random: inout SeededGenerator
  ) -> [ConstrainedTable] {
    var tables: [ConstrainedTable] = []
    for number in 0..<random.number(2...4) {
      tables.append(ConstrainedTable(number, names, parents: tables, using: &random))
      for _ in 0..<random.pick([0, 1, 1, 2]) { tables[number].addUniqueKey(using: &random) }
    }
    for number in tables.indices {
      for _ in 0..<random.pick([0, 1, 1, 2]) {
        // Usually to a table that can exist before.
        let parent = random.once(in: 4) ? random.pick(tables.indices) : random.number(0...number)
        tables[number].refer(to: tables[parent], using: &random)
      }
      if random.once(in: 3) { tables[number].addUniqueKey(using: &random) }
    }
    return tables
  }

  /// Makes a store run a random write, and returns what the transaction of that write must contain, if the
  /// tables have no constraints.
  ///
  /// - Parameters:
  ///   - contents: reads all the tables; called before and after the write.
  ///   - run: runs the write in one transaction, ignores constraint errors of single statements, commits.
  package mutating func perform(
    reading contents: () throws -> ReferenceContents, running run: (RandomWrite) throws -> Void
  ) rethrows -> [ReferenceChange] {
    let before = try contents()
    let write = nextWrite(for: before)
    try run(write)
    return changes(
      before: before, after: try contents(),
      reinserted: write.reinserted(before: before, schema: schema), schema: schema)
  }

  /// Makes the next write depend only on this seed and the contents.
  package mutating func reseed(_ seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns a random write for a store with these contents.
  ///
  /// - Parameter occasion: the purpose of the write; without constraints, every write serves any purpose.
  package mutating func nextWrite(
    for contents: ReferenceContents, _ occasion: WriteOccasion = .any
  ) -> RandomWrite {
    if tables.isEmpty { return nextConstrainedWrite(contents, occasion) }
    if random.once(in: 30) { return deleteByValue(contents) }
    var purposes: [String] = []
    var statements: [RandomStatement] = []
    for _ in 0..<(random.once(in: 2) ? 1 : random.number(2...4)) {
      let steps = WriteSteps(table: random.pick(tables), contents: contents)
      add(steps.next(using: &random), to: &purposes, &statements)
    }
    return RandomWrite(purposes.joined(separator: "; "), statements)
  }

  /// Returns a random write to tables with constraints.
  private mutating func nextConstrainedWrite(
    _ contents: ReferenceContents, _ occasion: WriteOccasion
  ) -> RandomWrite {
    let writes = ConstrainedWrites(tables: constrained, schema: schema, contents: contents)
    var purposes: [String] = []
    var statements: [RandomStatement] = []
    for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
      add(writes.next(occasion, using: &random), to: &purposes, &statements)
    }
    return RandomWrite(purposes.joined(separator: "; "), statements)
  }

  /// Adds a step, sometimes in a savepoint.
  private mutating func add(
    _ step: WriteSteps.Step, to purposes: inout [String], _ statements: inout [RandomStatement]
  ) {
    switch random.number(0...11) {
    case 0:
      purposes.append("\(step.purpose), rolled back")
      statements += [.init("SAVEPOINT s", effect: .savepoint)] + step.statements
      statements += [.init("ROLLBACK TO s", effect: .rollbackToSavepoint)]
      statements += [.init("RELEASE s", effect: .releaseSavepoint)]
    case 1:
      purposes.append("\(step.purpose), in a savepoint")
      statements += [.init("SAVEPOINT s", effect: .savepoint)] + step.statements
      statements += [.init("RELEASE s", effect: .releaseSavepoint)]
    default:
      purposes.append(step.purpose)
      statements += step.statements
    }
  }

  /// Returns a write that deletes the rows with a certain value. Only the store knows which rows these are,
  /// so nothing may reinsert them in the same write.
  private mutating func deleteByValue(_ contents: ReferenceContents) -> RandomWrite {
    let table = random.pick(tables)
    let column = random.pick(table.otherColumns)
    let rows = contents.rows(of: table.model.name)
    let value = rows.isEmpty ? .null : random.pick(rows).row[column]!
    let statement = RandomStatement("DELETE FROM \(table.model.name) WHERE \(column) IS ?", [value])
    return RandomWrite("delete by value", [statement])
  }
}
