import Testing
import TributaryCore
import TributaryTesting

/// Random histories over tables with constraints, on devices that are nothing but the definition.
struct IdealHistoryTests {
  struct Counts {
    var outcomes: [IdealDevice.Outcome: Int] = [:]
    var kinds: [ReferenceConflict.Kind: Int] = [:]
    var held = 0
    var masked = 0
    var displaced = 0
    var takeovers = 0
    var joined = 0
    var purposes: Set<String> = []

    mutating func add(_ state: ReferenceState) {
      for conflict in state.conflicts {
        kinds[conflict.kind, default: 0] += 1
        if conflict.isHeld { held += 1 }
        if !conflict.isHeld, conflict.kind == .foreignKey { masked += 1 }
      }
    }
  }

  @Test func `what the definition shows is what SQLite allows, and every write is seen`() throws {
    var counts = Counts()
    var seeds = 0
    try withSeeds(0..<300, filter: "IdealHistoryTests") { random in
      seeds += 1
      var trace: [String] = []
      do {
        try live(&random, &counts, &trace)
      } catch {
        if chosenSeed != nil { print(trace.joined(separator: "\n")) }
        throw error
      }
    }
    // A single seed, repeated, need not meet everything.
    guard seeds == 300 else { return }
    for outcome in [.committed, .nothing, .refused, .stopped] as [IdealDevice.Outcome] {
      #expect(counts.outcomes[outcome, default: 0] > 60, "\(counts)")
    }
    #expect(counts.outcomes[.committed]! > 5000, "\(counts)")
    for kind in ReferenceConflict.Kind.allCases {
      #expect(counts.kinds[kind, default: 0] > 100, "\(counts)")
    }
    #expect(counts.held > 1000 && counts.masked > 100 && counts.displaced > 300, "\(counts)")
    #expect(counts.takeovers > 50, "\(counts)")
    #expect(counts.joined > 50, "\(counts)")
    #expect(counts.purposes.count > 40)
  }

  private func live(
    _ random: inout SeededGenerator, _ counts: inout Counts, _ trace: inout [String]
  ) throws {
    var generator = HistoryGenerator(seed: random.seed, constrained: true, identified: true)
    trace = generator.createStatements
    var devices = (1...UInt64(random.number(2...4))).map { IdealDevice($0, generator) }
    for time in 1...50 as ClosedRange<UInt64> {
      let number = random.number(0...devices.count - 1)
      if random.once(in: 4) {
        let other = random.pick(devices)
        devices[number].learn(from: other)
        counts.add(devices[number].state)
        trace.append("\(number + 1) learns from \(other.peer.low)")
      } else {
        let basis = random.once(in: 8) ? random.pick(devices[number].versions) : nil
        let outcome = try devices[number].perform(
          { contents in
            let write = generator.nextWrite(for: contents)
            trace.append("\(number + 1) writes at \(time)\n\(write)")
            counts.purposes.formUnion(write.purpose.split(separator: "; ").map(String.init))
            return write
          }, at: time, basis: basis)
        counts.outcomes[outcome, default: 0] += 1
        if outcome == .committed,
          devices[number].known.last!.changes.contains(where: {
            $0.operation == .update && $0.values.isEmpty
          })
        {
          counts.takeovers += 1
        }
        let told = outcome == .committed ? "\(devices[number].known.last!.changes)" : ""
        trace.append("  \(outcome) \(told)")
      }
    }
    for index in devices.indices { devices[0].learn(from: devices[index]) }
    let state = devices[0].state
    _ = try devices[0].database(showing: state.visible)
    counts.displaced += generator.schema.tables.filter(\.hasGeneratedKeys).reduce(0) {
      $0 + state.visible.rows(of: $1.name).count { $0.row["k"]!.isNegative }
    }
    counts.joined += state.joinedCount
    try #require(
      merge(
        devices[0].known.shuffled(using: &random), schema: generator.schema,
        fresh: IdealDevice.fresh)
        == state)
  }

  @Test func `the model has the keys of the schema in the order of SQLite`() throws {
    try withSeeds(0..<300) { random in
      let generator = HistoryGenerator(seed: random.seed, constrained: true)
      let database = try Database(
        schema: generator.schema, createStatements: generator.createStatements)
      for table in generator.schema.tables {
        let foreign = try database.run(
          """
          SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list('\(table.name)')
          ORDER BY id, seq
          """)
        let expected: [[Value]] = table.foreignKeys.flatMap { key in
          zip(key.columns, key.parentColumns).map { column, parent in
            [
              .string(key.parent), .string(column), .string(parent.name),
              .string(key.onDelete.rawValue),
            ]
          }
        }
        try #require(foreign == expected, "\(generator.createStatements)")
        let indexes = try database.run(
          """
          SELECT name FROM pragma_index_list('\(table.name)')
          WHERE "unique" AND origin <> 'pk' ORDER BY seq DESC
          """)!
        try #require(indexes.count == table.uniqueKeys.count)
        for (index, key) in zip(indexes, table.uniqueKeys) {
          let named = try database.run("SELECT name FROM pragma_index_info(?)", index)!
            .filter { $0 != [.null] }.map { String(decoding: bytes($0[0]), as: UTF8.self) }
          try #require(key.columns.isSuperset(of: named), "\(generator.createStatements)")
        }
        let numbered = try database.run(
          "SELECT count(*) FROM pragma_index_list('\(table.name)') WHERE origin = 'pk'")
        try #require((numbered == [[0]]) == table.hasGeneratedKeys, "\(generator.createStatements)")
      }
    }
  }

  private func bytes(_ value: Value) -> [UInt8] {
    if case .text(let bytes) = value { bytes } else { [] }
  }
}

extension Value {
  fileprivate var isNegative: Bool {
    if case .integer(let number) = self { number < 0 } else { false }
  }
}
