import Testing
import TributaryCore
import TributaryMerge
import TributaryStore
import TributarySync
import TributaryTesting

/// What it costs when many numbers are given twice, counted and not timed.
struct SharedNumberWorkTests {
  private static func numbering(_ number: Int64, peer: UInt64) -> Numbering {
    let side = Conflict.Side(
      peer: PeerIdentity(high: 0, low: peer), sequence: SequenceNumber(UInt64(number)),
      time: HybridTime(milliseconds: UInt64(number), counter: 0))
    return Numbering(
      table: 0, number: number,
      transaction: BatchTransaction(side: side, knowledge: Knowledge()), content: peer)
  }

  @Test func `numberings that are added leave all other numbers alone`() {
    var registry = NumberingRegistry()
    for batch in 0..<10 as Range<Int64> {
      let numbers = (batch * 100 + 1)...(batch * 100 + 100)
      registry.add(
        numbers.flatMap { [Self.numbering($0, peer: 1), Self.numbering($0, peer: 2)] },
        tables: [NumberedTable(name: "t")])
      #expect(registry.moved.count == 100)
      registry.settle()
      #expect(registry.moved.isEmpty)
    }
    #expect(registry.workCount == 1000)
  }

  /// In how many batches a store imports rows under the numbers of its own.
  private func batches(_ rows: Int, batch: Int) throws -> Int {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, v)"
      let a = try devices.open("a", script)
      try devices.attach("b", script)
      var environment = StoreEnvironment()
      environment.importRowLimit = batch
      let b = try SyncSession(store: devices.path("b"), environment: environment)
      for (session, name) in [(a, "a"), (b, "b")] {
        for number in 1...rows {
          try session.store.write { try $0.execute("INSERT INTO t VALUES (\(number), '\(name)')") }
        }
      }
      try a.exchange()
      var batches = 0
      let report = try b.synchronize { _ in batches += 1 }
      #expect(report.failure == nil)
      #expect(try b.rows("SELECT count(*) FROM t") == ["\(2 * rows)"])
      return batches
    }
  }

  @Test func `an import that meets its own rows takes many at a time`() throws {
    // Each batch reads all that its authors did not know: as many batches as rows would be quadratic.
    #expect(try batches(100, batch: 20) <= 2)
  }
}
