import Testing
import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryReplay
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributaryTesting

/// Stores as they were, against the plain definition of the merge.
struct MomentTests {
  /// In one run; more with `tools/soak`.
  static let seeds: UInt64 = 5

  @Test(arguments: [false, true])
  func `a replay of any moment is what the definition says, cell by cell with its author`(
    constrained: Bool
  ) throws {
    for seeds in Soak.seeds(part: constrained ? 1 : 0, of: 2, otherwise: Self.seeds) {
      try withSeeds(seeds, filter: "TributaryInspectionTests.MomentTests") { random in
        let plan = SimulationPlan(historyOf: random.seed, constrained: constrained)
        let failure = try Fleet.run(plan) { simulation, directory in
          for moment in try simulation.pastMoments(3, in: directory) { try Self.check(moment) }
        }.failure
        if let failure { throw failure }
      }
    }
  }

  private static func check(_ past: PastMoment) throws {
    let store = try self.store(of: past)
    defer { store.remove() }
    try #require(store.waiting.isEmpty)
    try #require(store.transactionCount == past.transactionCount)
    let difference = try ReferenceContents(of: store.path, past.schema).difference(
      from: past.expected.visible)
    try #require(difference.isEmpty, "\(past.kind): \(difference)")
    var writers: [ReferenceRowIdentity: [String: ReferenceSide]] = [:]
    func add(_ row: Blame.Row) throws {
      let identity = ReferenceRowIdentity(
        table: row.table, key: past.schema[row.table].canonical(row.key))
      try #require(row.isHeld == (past.expected.held[identity] != nil), "\(identity)")
      for cell in row.cells {
        let author = try #require(cell.author, "nobody wrote \(cell.column) of \(identity)")
        writers[identity, default: [:]][cell.column] = ReferenceSide(
          peer: author.peer, sequence: author.sequence, time: author.time)
      }
    }
    try Blame(of: store).forEachRow(TransactionFilter(), add)
    try #require(writers == past.expected.writers)
  }

  private static func store(of past: PastMoment) throws -> MomentStore {
    let moment: Moment =
      switch past.kind {
      case .transaction(let side):
        .transaction(peerPrefix: side.peer.description, side.sequence)
      case .time(let milliseconds): .time(milliseconds: milliseconds)
      }
    return try MomentStore(
      LogSearch().logs(at: [past.container]), at: moment,
      report: { Issue.record("\($0.path): \($0.message)") })
  }
}
