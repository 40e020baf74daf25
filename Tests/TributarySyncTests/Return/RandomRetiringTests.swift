import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that are all alive, and retire each other by mistake at random moments, while they write, agree and forget.
struct RandomRetiringTests {
  private static let schema = "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER, v TEXT)"

  private static let names = ["a", "b", "c", "d"]

  @Test(arguments: Soak.parts(2))
  func
    `whoever is retired, all are equal in the end, wait for nothing, and have counted everything`(
      part: UInt64
    ) throws
  {
    for seeds in Soak.seeds(part: part, of: 2, otherwise: 6) {
      try withSeeds(seeds, filter: "TributarySyncTests.RandomRetiringTests") { random in
        try withTemporaryDirectory { try run(in: $0, &random) }
        Soak.didFinish("RandomRetiringTests")
      }
    }
  }

  private func run(in directory: String, _ random: inout SeededGenerator) throws {
    var merge = TableMerge()
    merge.columns = [SQLName("n"): .counter]
    let fleet = try HorizonFleet(
      in: directory, schema: Self.schema, merge: MergeOptions(tables: ["t": merge]))
    fleet.seed(random.next())
    let names = Array(Self.names.prefix(random.number(2...4)))
    for name in names {
      try fleet.attach(name)
      try fleet.write("INSERT INTO t VALUES ('\(name)', 0, '')", on: name)
    }
    try fleet.meet(rounds: 3)
    var counts = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
    for _ in 0..<90 { try step(fleet, names, &counts, &random) }
    try quiet(fleet, names, &random)
    for name in names {
      for (counter, least) in counts {
        let rows = try fleet[name].rows("SELECT n FROM t WHERE id = '\(counter)'")
        let counted = rows.first.flatMap { Int($0) } ?? 0
        try #require(counted >= least, "\(random): \(counter) on \(name)")
      }
    }
    try fleet.expectEqual()
  }

  private func step(
    _ fleet: HorizonFleet, _ names: [String], _ counts: inout [String: Int],
    _ random: inout SeededGenerator
  ) throws {
    let name = random.pick(names)
    switch random.number(0...99) {
    case 0...34:
      for _ in 0..<random.number(1...2) {
        var sql = "UPDATE t SET n = n + 1 WHERE id = '\(name)'"
        if random.once(in: 2) {
          sql += "; UPDATE t SET v = '\(random.next())' WHERE id = '\(random.pick(names))'"
        }
        if random.once(in: 3) { sql += "; INSERT INTO t VALUES ('\(random.next())', 0, '')" }
        try fleet.write(sql, on: name)
        counts[name, default: 0] += 1
      }
    case 35...57: _ = try fleet[name].synchronize()
    case 58...65: for name in names { _ = try fleet[name].synchronize() }
    case 66...75: fleet.clock.advance(by: random.pick([1, 12, 26, 48]) * 3_600_000)
    case 76...85:
      do {
        _ = try fleet[name].writeBaseline()
      } catch is SyncError {
        // It waits for something.
      }
    case 86...92:
      let other = random.pick(names.filter { $0 != name })
      do {
        _ = try fleet[name].retire(fleet.peer(other).description)
      } catch let error as SyncError where error.code == .unknownPeer {
        // Nothing from it has arrived.
      }
    default: try fleet.open(name)
    }
  }

  /// Lets days pass, as many as it takes.
  private func quiet(
    _ fleet: HorizonFleet, _ names: [String], _ random: inout SeededGenerator
  ) throws {
    var reports: [SyncReport] = []
    for _ in 0..<16 {
      fleet.clock.advance(by: 26 * 3_600_000)
      for _ in 0..<2 { reports = try names.map { try fleet[$0].synchronize() } }
      let digests = try Set(names.map { try fleet[$0].store.digest().total })
      if digests.count == 1, reports.allSatisfy({ $0.failure == nil && $0.waiting.isEmpty }) {
        return
      }
    }
    let failures = reports.compactMap(\.failure)
    try #require(failures.isEmpty, "\(random): \(failures)")
    let waiting = reports.flatMap(\.waiting)
    try #require(waiting.isEmpty, "\(random): \(waiting)")
  }
}
