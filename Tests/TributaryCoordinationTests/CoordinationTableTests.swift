import Testing
import TributaryCoordination
import TributaryTesting

/// Who comes next, as the table decides.
struct CoordinationTableTests {
  private static func claim(
    _ access: ItemAccess, _ paths: [String], under: [UInt64] = [], purpose: String = "",
    presenter: UInt64 = 0
  ) -> Claim {
    Claim(
      number: 0, process: "p", purpose: purpose, presenter: presenter, under: under,
      items: paths.map { ClaimItem(path: $0, access: access) })
  }

  private static func phases(_ table: CoordinationTable) -> [Claim.Phase] {
    table.claims.map(\.phase)
  }

  private static func table(_ claims: Claim...) throws -> CoordinationTable {
    var table = CoordinationTable()
    for claim in claims { _ = try table.add(claim) }
    table.advance()
    return table
  }

  @Test func `any number may read an item`() throws {
    let table = try Self.table(
      Self.claim(.reading([]), ["/a"]), Self.claim(.reading([]), ["/a"]))
    #expect(Self.phases(table) == [.granted, .granted])
  }

  @Test(arguments: [
    ("/a", "/a", true), ("/a", "/b", false), ("/a", "/a/b", true), ("/a/b", "/a", true),
    ("/a", "/ab", false), ("/", "/a", true), ("/a/b", "/a/c", false),
  ])
  func `a writer excludes others from its item and what is below`(
    first: String, second: String, isExcluded: Bool
  ) throws {
    let table = try Self.table(
      Self.claim(.writing([]), [first]), Self.claim(.writing([]), [second]))
    #expect(Self.phases(table) == [.granted, isExcluded ? .waiting : .granted])
  }

  @Test func `reading a directory leaves writers of what is below alone`() throws {
    let table = try Self.table(
      Self.claim(.reading([]), ["/a"]), Self.claim(.writing([]), ["/a/b"]))
    #expect(Self.phases(table) == [.granted, .granted])
  }

  @Test func `readers that come after a waiting writer wait behind it`() throws {
    var table = try Self.table(
      Self.claim(.reading([]), ["/a"]), Self.claim(.writing([]), ["/a"]),
      Self.claim(.reading([]), ["/a"]))
    #expect(Self.phases(table) == [.granted, .waiting, .waiting])
    table.end(1, changes: [])
    table.advance()
    #expect(Self.phases(table) == [.granted, .waiting])
    table.end(2, changes: [])
    table.advance()
    #expect(Self.phases(table) == [.granted])
  }

  @Test func `an access within another one of its purpose does not wait for it`() throws {
    var table = try Self.table(Self.claim(.writing([]), ["/a"], purpose: "x"))
    _ = try table.add(Self.claim(.writing([]), ["/a/b"], under: [1], purpose: "x"))
    table.advance()
    #expect(Self.phases(table) == [.granted, .granted])
  }

  @Test func `nor does it wait for those that wait for the outer one`() throws {
    var table = try Self.table(
      Self.claim(.reading([]), ["/a"], purpose: "x"), Self.claim(.writing([]), ["/a"]))
    _ = try table.add(Self.claim(.reading([]), ["/a"], under: [1], purpose: "x"))
    table.advance()
    #expect(Self.phases(table) == [.granted, .waiting, .granted])
  }

  @Test func `but it waits for those that come first and wait for something else`() throws {
    var table = try Self.table(
      Self.claim(.reading([]), ["/a"], purpose: "x"), Self.claim(.reading([]), ["/b"]),
      Self.claim(.writing([]), ["/b"]))
    _ = try table.add(Self.claim(.reading([]), ["/b"], under: [1], purpose: "x"))
    table.advance()
    #expect(Self.phases(table) == [.granted, .granted, .waiting, .waiting])
  }

  @Test func `waiting in a circle is refused, and leaves the table as it was`() throws {
    var table = try Self.table(
      Self.claim(.writing([]), ["/a"]), Self.claim(.writing([]), ["/b"]))
    _ = try table.add(Self.claim(.writing([]), ["/b"], under: [1]))
    table.advance()
    let before = table
    let error = #expect(throws: CoordinationError.self) {
      _ = try table.add(Self.claim(.reading([]), ["/a"], under: [2]))
    }
    #expect(error?.code == .deadlock)
    #expect(error?.holders.map(\.paths) == [["/a"], ["/b"], ["/b"]])
    #expect(table == before)
  }

  @Test
  func `an access within another one of a different purpose is refused if it would wait for it`()
    throws
  {
    var table = try Self.table(Self.claim(.writing([]), ["/a"], purpose: "x"))
    #expect(throws: CoordinationError.self) {
      _ = try table.add(Self.claim(.reading([]), ["/a"], under: [1], purpose: "y"))
    }
  }

  @Test func `whoever waits for an item that moves gets it at its new place`() throws {
    var table = try Self.table(
      Self.claim(.writing([]), ["/a"]), Self.claim(.reading([]), ["/a/b"]))
    table.move(from: "/a", to: "/c", by: 0)
    table.advance()
    #expect(table.claims.map { $0.items.map(\.path) } == [["/a"], ["/c/b"]])
    #expect(Self.phases(table) == [.granted, .granted])
  }

  @Test func `what a process held is free when it has ended`() throws {
    var table = try Self.table(Self.claim(.writing([]), ["/a"]))
    var other = Self.claim(.reading([]), ["/a"])
    other.process = "q"
    _ = try table.add(other)
    table.removeProcesses(["p"])
    table.advance()
    #expect(table.claims.map(\.process) == ["q"])
    #expect(Self.phases(table) == [.granted])
  }

  @Test func `what nobody fetches does not pile up`() throws {
    var table = CoordinationTable()
    _ = table.addPresenter(of: "stopped", at: "/a")
    var counts: Set<Int> = []
    for _ in 0..<10 {
      let number = try table.add(Self.claim(.writing([]), ["/a"]))
      table.advance()
      table.giveUpAsking(number)
      table.advance()
      try #require(table.claim(number)?.phase == .granted)
      table.end(number, changes: [.changed("/a")])
      counts.insert(table.messages.count)
    }
    #expect(counts == [1])
  }

  /// Whatever is asked for and ended: nobody overlaps, and all get their turn.
  @Test func `random claims never overlap and are all granted in the end`() throws {
    try withSeeds(0..<40) { random in
      var table = CoordinationTable()
      let presenters = ["/a", "/a/b"].map { table.addPresenter(of: "p", at: $0) }
      for _ in 0..<60 {
        try ask(&table, presenters, &random)
        table.advance()
        try checkOverlaps(table)
        move(&table, &random)
        table.advance()
        try checkOverlaps(table)
        try #require(
          CoordinationTable(encoded: table.encoded, path: "") == table)
      }
      var steps = 0
      while !table.claims.isEmpty {
        steps += 1
        try #require(
          steps < 1000,
          "\(table.claims.map { "\($0.number) \($0.phase) under \($0.under) purpose \($0.purpose) presenter \($0.presenter) \($0.items.map { "\($0.path) \($0.access.isWriting)" })" })"
        )
        // Everybody ends what they can.
        _ = table.takeMessages(for: "p")
        for message in table.messages { table.answer(message.number) }
        let nested = Set(table.claims.flatMap(\.under))
        for claim in table.claims where claim.phase == .granted && !nested.contains(claim.number) {
          table.end(claim.number, changes: [])
        }
        table.advance()
        try checkOverlaps(table)
      }
    }
  }

  private func ask(
    _ table: inout CoordinationTable, _ presenters: [UInt64], _ random: inout SeededGenerator
  ) throws {
    let paths = ["/", "/a", "/a/b", "/a/c", "/d"]
    let count = random.once(in: 3) ? 2 : 1
    var claim = Self.claim(
      random.once(in: 2) ? .writing([]) : .reading([]),
      (0..<count).map { _ in paths[random.number(0...4)] },
      purpose: "\(random.number(0...3))",
      presenter: random.once(in: 3) ? presenters[random.number(0...1)] : 0)
    let granted = table.claims.filter { $0.phase == .granted }
    if random.once(in: 3), !granted.isEmpty {
      let outer = granted[random.number(0...granted.count - 1)]
      claim.under = outer.under + [outer.number]
      claim.purpose = outer.purpose
      // One flow does one thing at a time.
      if table.claims.contains(where: { $0.under.contains(outer.number) }) { return }
    }
    do { _ = try table.add(claim) } catch {
      try #require(error.code == .deadlock)
    }
  }

  private func move(_ table: inout CoordinationTable, _ random: inout SeededGenerator) {
    let nested = Set(table.claims.flatMap(\.under))
    let ending = table.claims.filter { $0.phase == .granted && !nested.contains($0.number) }
    if !ending.isEmpty, random.once(in: 2) {
      table.end(ending[random.number(0...ending.count - 1)].number, changes: [])
    }
    if random.once(in: 2), let message = table.takeMessages(for: "p").first {
      table.answer(message.number)
    }
    for message in table.messages where message.isDelivered && random.once(in: 2) {
      table.answer(message.number)
    }
  }

  private func checkOverlaps(_ table: CoordinationTable) throws {
    let granted = table.claims.filter { $0.phase == .granted }
    for (index, claim) in granted.enumerated() {
      for other in granted[(index + 1)...] where claim.conflicts(with: other) {
        try #require(
          other.under.contains(claim.number) && other.purpose == claim.purpose,
          "\(claim) and \(other)")
      }
    }
  }
}
