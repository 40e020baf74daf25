/// From a seed, a schema and writes for it that collide a lot when several devices run them.
///
/// The generator knows SQL and the model, and nothing of stores: whoever has one runs the writes
/// and says what the tables hold. The same seed and the same contents give the same writes.
package struct HistoryGenerator: Sendable {
  package let seed: UInt64
  package let schema: ReferenceSchema

  /// Creates the tables of `schema`, which have neither UNIQUE nor FOREIGN KEY nor CHECK.
  package let createStatements: [String]

  private var random: SeededGenerator
  private let tables: [RandomTable]

  package init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    var tables: [RandomTable] = []
    for number in 0..<random.number(1...3) {
      tables.append(RandomTable(name: "t\(number)", using: &random))
    }
    self.tables = tables
    schema = ReferenceSchema(tables: tables.map(\.model))
    createStatements = tables.map(\.createStatement)
  }

  /// Lets a store run a random write, and returns what the transaction of that write must say.
  ///
  /// - Parameters:
  ///   - contents: reads all the tables; called before and after the write.
  ///   - run: runs the write in one transaction, ignores constraint errors of single statements,
  ///     commits.
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

  /// A random write for a store that holds these contents.
  package mutating func nextWrite(for contents: ReferenceContents) -> RandomWrite {
    if random.once(in: 30) { return deleteByValue(contents) }
    var purposes: [String] = []
    var statements: [RandomStatement] = []
    for _ in 0..<(random.once(in: 2) ? 1 : random.number(2...4)) {
      let steps = WriteSteps(table: random.pick(tables), contents: contents)
      let (purpose, step) = steps.next(using: &random)
      switch random.number(0...11) {
      case 0:
        purposes.append("\(purpose), rolled back")
        statements += [.init("SAVEPOINT s", effect: .savepoint)] + step
        statements += [.init("ROLLBACK TO s", effect: .rollbackToSavepoint)]
        statements += [.init("RELEASE s", effect: .releaseSavepoint)]
      case 1:
        purposes.append("\(purpose), in a savepoint")
        statements += [.init("SAVEPOINT s", effect: .savepoint)] + step
        statements += [.init("RELEASE s", effect: .releaseSavepoint)]
      default:
        purposes.append(purpose)
        statements += step
      }
    }
    return RandomWrite(purposes.joined(separator: "; "), statements)
  }

  /// Deletes the rows that have a certain value; which these are only the store knows, so nothing
  /// may insert them again in the same write.
  private mutating func deleteByValue(_ contents: ReferenceContents) -> RandomWrite {
    let table = random.pick(tables)
    let column = random.pick(table.otherColumns)
    let rows = contents.rows(of: table.model.name)
    let value = rows.isEmpty ? .null : random.pick(rows).row[column]!
    let statement = RandomStatement("DELETE FROM \(table.model.name) WHERE \(column) IS ?", [value])
    return RandomWrite("delete by value", [statement])
  }
}
