import Testing
import TributaryCore
import TributaryTesting

struct HistoryGeneratorTests {
  @Test func `a write inserts again exactly what SQLite saw going and coming back`() throws {
    var seeds = 0
    var failures = 0
    var reinserts = 0
    var purposes: Set<String> = []
    try withSeeds(0..<300) { random in
      seeds += 1
      var generator = HistoryGenerator(seed: random.seed)
      // With row ids, which change nothing here: the hook of SQLite 3.40 reads the old values of a
      // table without them by the affinity of another column, if its key does not come first.
      let database = try Database(
        schema: generator.schema,
        createStatements: generator.createStatements.map { statement in
          statement.hasSuffix(" WITHOUT ROWID") ? String(statement.dropLast(14)) : statement
        })
      for _ in 0..<60 {
        let before = try database.contents()
        let write = generator.nextWrite(for: before)
        let seen = try database.perform(write)
        failures += seen.failures
        // A new row may come, go and come again; that is an insert anyway.
        let expected = seen.reinserted.filter { before[$0] != nil }
        let told = write.reinserted(before: before, schema: generator.schema)
        try #require(told == expected, "\(generator.createStatements)\n\(write)\n\(before)")
        reinserts += told.count
        purposes.formUnion(write.purpose.split(separator: "; ").map(String.init))
      }
    }
    // A single seed, repeated, need not meet everything.
    guard seeds == 300 else { return }
    #expect(failures > 1000)
    #expect(reinserts > 1000)
    #expect(purposes.count > 40)
  }

  @Test func `the changes of each write bring its contents about`() throws {
    try withSeeds(0..<200) { random in
      var generator = HistoryGenerator(seed: random.seed)
      let database = try Database(
        schema: generator.schema, createStatements: generator.createStatements)
      var history: [ReferenceTransaction] = []
      for time in 1...60 as ClosedRange<UInt64> {
        let changes = try generator.perform(
          reading: { try database.contents() }, running: { _ = try database.perform($0) })
        history.append(
          ReferenceTransaction(
            stamp: Stamp(
              time: HybridTime(milliseconds: time, counter: 0), peer: PeerIdentity(high: 1, low: 1)),
            sequence: SequenceNumber(time), knowledge: Knowledge(), changes: changes))
      }
      let folded = fold(history.shuffled(using: &random), schema: generator.schema)
      try #require(folded.difference(from: try database.contents()) == [])
    }
  }

  @Test func `the defaults of the model are those that SQLite stores`() throws {
    try withSeeds(0..<300) { random in
      let generator = HistoryGenerator(seed: random.seed)
      let database = try Database(
        schema: generator.schema, createStatements: generator.createStatements)
      var history = ReferenceTransaction(
        stamp: Stamp(time: .zero, peer: PeerIdentity(high: 1, low: 1)), sequence: SequenceNumber(1),
        knowledge: Knowledge(), changes: [])
      for table in generator.schema.tables {
        let names = table.keyColumns.map(\.name).joined(separator: ", ")
        let values = table.keyColumns.map { _ in "1" }.joined(separator: ", ")
        _ = try database.run("INSERT INTO \(table.name) (\(names)) VALUES (\(values))")
        let row = try #require(try database.contents().rows(of: table.name).first).row
        history.changes.append(ReferenceChange(.insert, table: table.name, key: table.key(of: row)))
      }
      let stored = try database.contents()
      try #require(fold([history], schema: generator.schema).difference(from: stored) == [])
    }
  }

  @Test func `a seed means one history`() throws {
    func history(_ seed: UInt64) throws -> [String] {
      var generator = HistoryGenerator(seed: seed)
      let database = try Database(
        schema: generator.schema, createStatements: generator.createStatements)
      var lines = generator.createStatements
      for _ in 0..<40 {
        let changes = try generator.perform(
          reading: { try database.contents() },
          running: {
            lines.append($0.description)
            _ = try database.perform($0)
          })
        lines += changes.map(\.description)
      }
      return lines
    }
    #expect(try history(5) == history(5))
    #expect(try history(5) != history(6))
  }
}
