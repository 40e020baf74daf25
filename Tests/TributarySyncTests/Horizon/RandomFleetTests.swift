import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that write, synchronise, start anew and get their files late, while they agree on horizons and forget.
struct RandomFleetTests {
  /// What a run leaves.
  private struct Outcome {
    var bytes = 0
    var segments = 0
    var records = 0
    var declarations: Set<UInt64> = []
  }

  @Test func `devices that forget end equal, and their logs and records shrink`() throws {
    try withSeeds(0..<3) { random in
      let seed = random.seed
      let (with, without) = (try run(seed, isOn: true), try run(seed, isOn: false))
      try #require(with.declarations.count > 1, "\(random)")
      try #require(with.segments * 2 < without.segments, "\(random)")
      try #require(with.records * 2 < without.records, "\(random)")
      try #require(with.bytes < without.bytes, "\(random)")
      print(
        "seed \(seed): \(without.segments) segments become \(with.segments), "
          + "\(without.records) records \(with.records), \(without.bytes) bytes \(with.bytes), "
          + "\(with.declarations.count) declarations")
    }
  }

  private func run(_ seed: UInt64, isOn: Bool) throws -> Outcome {
    var random = SeededGenerator(seed: seed)
    var outcome = Outcome()
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(
        in: directory, schema: "CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT, n INTEGER)",
        isCarried: true)
      fleet.policy.isOn = isOn
      for name in ["a", "b", "c"] {
        try fleet.attach(name)
        try fleet.carryEverything(&random)
      }
      try fleet.settle(rounds: 2, &random)
      for phase in 0..<3 {
        for _ in 0..<200 { try step(fleet, &outcome, &random) }
        try fleet.settle(rounds: 2, &random)
        fleet.pass(days: 1)
        try fleet.settle(rounds: 5, &random)
        guard phase < 2 else { break }
        // A new one begins with what is there.
        try FileManager.default.createDirectory(
          atPath: fleet.container(of: "a"), withIntermediateDirectories: true)
        let name = ["d", "e"][phase]
        try FileManager.default.copyItem(
          atPath: fleet.container(of: "a"), toPath: fleet.container(of: name))
        let report = try fleet.attach(name)
        try #require((report.baseline != nil) == isOn, "\(random)")
        try fleet.settle(rounds: 2, &random)
      }
      for name in fleet.sessions.keys.sorted() {
        let report = try fleet[name].synchronize()
        try #require(report.failure == nil && report.waiting.isEmpty, "\(random)")
        outcome.segments += try fleet.segments(name).count
        outcome.records += try fleet.records(name).count
      }
      outcome.bytes = try fleet.containerByteCount() / fleet.sessions.count
      try fleet.expectEqual()
    }
    return outcome
  }

  private func step(
    _ fleet: HorizonFleet, _ outcome: inout Outcome, _ random: inout SeededGenerator
  ) throws {
    let names = fleet.sessions.keys.sorted()
    let name = random.pick(names)
    switch random.number(0...11) {
    case 0...3:
      let key = random.number(0...9)
      let text = random.bytes(count: random.number(0...1000)).map { "\($0)" }.joined()
      let sql = random.pick([
        "INSERT OR REPLACE INTO t VALUES ('\(key)', '\(text)', 0)",
        "UPDATE t SET v = '\(text)' WHERE k = '\(key)'",
        "UPDATE t SET n = n + 1 WHERE k = '\(key)'", "DELETE FROM t WHERE k = '\(key)'",
      ])
      try fleet.write(sql, on: name)
    case 4...6:
      let report = try fleet[name].synchronize()
      try #require(report.failure == nil, "\(random)")
    case 7...9:
      for other in names where other != name {
        try fleet.carry(from: name, to: other, oneIn: random.number(1...3), &random)
      }
    case 10:
      fleet.clock.advance(by: Int64(random.number(0...20)) * 3_600_000)
    default: try fleet.open(name)
    }
    if let obeyed = try fleet.record(name).state.obeyed {
      outcome.declarations.insert(obeyed.identifier)
    }
  }
}
