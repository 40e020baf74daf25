import Testing
import TributaryCore
import TributaryInspection
import TributaryReplay
import TributaryTesting

/// Counting transactions and changes.
struct LogStatisticsTests {
  private typealias Transaction = LogFixture.Transaction
  private static let day: UInt64 = 86_400_000

  private func rows(
    _ aspects: [LogGroup.Aspect], _ filter: TransactionFilter = TransactionFilter()
  ) throws -> [String] {
    var statistics = LogStatistics([aspects])
    try withLogs { logs in
      try logs.write([
        Transaction(1, at: 0, .insert(1, "one", 1.5)),
        Transaction(
          2, at: Self.day, .update(1, "two", nil), .insert("x", 0, "y", into: LogFixture.pairs)),
        Transaction(3, at: Self.day + 5, .delete(1), .delete(2)),
      ])
      try logs.write(
        [Transaction(1, at: 3 * Self.day, .insert(3, "three", 1.5))], by: LogFixture.bob)
      let segments = try LogSegments.read(LogSearch().logs(at: [logs.container])) { _ in }
      try LogWalk(segments, filter).run(report: { _ in }) { try statistics.add($0) }
    }
    return statistics.rows(of: 0).map { group, tally in
      let names = [
        group.peer.map { String("\($0)".prefix(1)) }, group.table?.text,
        group.day.map { $0.text + ($0.isAdopted ? " adopted" : "") },
      ].compactMap(\.self)
      return (names + ["\(tally.transactions): \(tally.inserts) \(tally.updates) \(tally.deletes)"])
        .joined(separator: " ")
    }
  }

  @Test func `the total counts each transaction once`() throws {
    #expect(try rows([]) == ["4: 3 1 2"])
  }

  @Test func `groups come in the order of their aspects`() throws {
    #expect(try rows([.peer]) == ["a 3: 2 1 2", "b 1: 1 0 0"])
    #expect(try rows([.table]) == ["pairs 1: 1 0 0", "tracks 4: 2 1 2"])
    #expect(
      try rows([.day])
        == ["1970-01-01 adopted 1: 1 0 0", "1970-01-02 2: 1 1 2", "1970-01-04 1: 1 0 0"])
    #expect(
      try rows([.table, .peer])
        == ["a pairs 1: 1 0 0", "a tracks 3: 1 1 2", "b tracks 1: 1 0 0"])
  }

  @Test func `of a selection, only transactions with a selected change count`() throws {
    var filter = TransactionFilter()
    filter.tables = ["pairs"]
    #expect(try rows([], filter) == ["1: 1 0 0"])
    #expect(try rows([.peer], filter) == ["a 1: 1 0 0"])
  }
}
