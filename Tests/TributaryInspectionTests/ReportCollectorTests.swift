import Foundation
import Testing
import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryTesting

struct ReportCollectorTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  private func report(
    _ logs: LogFixture, _ change: (inout ReportLimits) -> Void = { _ in }
  ) throws -> LogReport {
    var limits = ReportLimits()
    change(&limits)
    return try ReportCollector(limits: limits).collect([logs.container])
  }

  @Test func `older transactions are sums, and nothing is counted less for it`() throws {
    try withSeeds(0..<20) { random in
      try withLogs { logs in
        let count = 60
        for (peer, other, shift) in [(alice, bob, UInt64(0)), (bob, alice, 1)] {
          var known: UInt64 = 0
          try logs.write(
            (1...count).map { number in
              if random.number(0...3) == 0 { known = UInt64(random.number(Int(known)...number)) }
              return Transaction(
                UInt64(number), at: UInt64(number) * 100_000 + shift,
                knows: known <= 1 ? [:] : [other: known - 1])
            }, by: peer)
        }
        let all = try report(logs)
        try #require(all.transactions.count == 2 * count && all.older.tallies.isEmpty)
        let limit = random.number(1...100)
        let some = try report(logs) {
          $0.transactions = limit
          $0.buckets = random.number(2...50)
          $0.rises = random.number(1...20)
        }
        try #require(some.total == all.total)
        try #require(some.transactions.count <= limit)
        var sum = ReportTally()
        for (_, tally) in some.older.sorted { sum.add(tally) }
        try #require(sum.transactions + some.transactions.count == all.total.transactions)
        try #require(
          sum.changes + some.transactions.reduce(0) { $0 + $1.changes } == all.total.changes)
        // What each knew in the end is what it knew before and what it newly knew.
        for (number, peer) in some.peers.enumerated() {
          var known = peer.base
          for transaction in some.transactions where transaction.peer == number {
            for rise in transaction.rises {
              known[some.peers[rise.peer].identity] = rise.sequence
            }
          }
          let last = some.transactions.contains { $0.peer == number }
          try #require(
            !last && some.older.tallies.keys.contains { $0.peer == number } || known == peer.known)
        }
      }
    }
  }

  @Test func `steps of time grow wider where there would be too many`() throws {
    try withLogs { logs in
      let day: UInt64 = 86_400_000
      try logs.write((1...100).map { Transaction(UInt64($0), at: day * UInt64($0) * 3) })
      let report = try report(logs) { $0.days = 16 }
      #expect(report.growth.tallies.count <= 16 && report.growth.width == day * 32)
      #expect(report.growth.sorted.reduce(0) { $0 + $1.value.transactions } == 100)
    }
  }

  @Test func `tables, concurrent writes and findings are counted beyond their limits`() throws {
    try withLogs { logs in
      var logs = logs
      for table in ["one", "two"] {
        logs.moreShapes.append(.init(table: table, columns: ["id", "v"], keys: [.init(column: 0)]))
      }
      let one = logs.moreShapes[0]
      let two = logs.moreShapes[1]
      let numbers = (1...30).map { Int64($0) }
      try logs.write([
        Transaction(1, at: 1, .insert("k", 1, into: one), .insert("k", 1, into: two))
      ])
      try logs.write(
        numbers.map {
          Transaction(UInt64($0 + 1), at: UInt64($0) * 10, .insert(.integer($0), "a", 0.5))
        })
      try logs.write(
        numbers.map {
          Transaction(UInt64($0), at: UInt64($0) * 10 + 1, .insert(.integer($0), "b", 0.5))
        },
        by: bob)
      let report = try report(logs) {
        $0.tables = 2
        $0.tablesOfTransaction = 1
        $0.conflicts = 4
      }
      #expect(report.tables.map(\.name) == ["one", "two"])
      #expect(report.otherTables.inserts == 60)
      #expect(report.transactions[0].parts.map(\.table) == [0, nil])
      #expect(report.conflictCounts == [.number: 30])
      #expect(report.conflicts.map(\.key) == ["27", "28", "29", "30"])
      #expect(report.conflicts.allSatisfy { $0.table == nil })
    }
  }

  @Test func `keys that are equal under their collations are one row`() throws {
    try withLogs { logs in
      var logs = logs
      let shape = TableShape(
        table: "names", columns: ["id", "v"], keys: [.init(column: 0, collation: .nocase)])
      logs.moreShapes = [shape]
      try logs.write([Transaction(1, at: 1, .insert("Key", 1, into: shape), .insert(5, "a", 1.0))])
      try logs.write(
        [Transaction(1, at: 2, .insert("kEY", 2, into: shape), .delete(5.0))], by: bob)
      let report = try report(logs)
      #expect(report.conflictCounts == [.insert: 1, .delete: 1])
    }
  }
}
