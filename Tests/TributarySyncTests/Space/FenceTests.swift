import Testing
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// What a store that has promised a horizon, or obeys one, imports and writes.
struct FenceTests {
  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"

  /// A store that has everything of `a` and nothing of `late`, which knows nothing of `a`.
  private struct Fleet {
    let devices: SyncDevices
    let store, a, late: SyncSession

    init(in directory: String) throws {
      devices = try SyncDevices(in: directory)
      store = try devices.open("store", FenceTests.table)
      a = try devices.open("a", FenceTests.table)
      late = try devices.open("late", FenceTests.table)
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try a.exchange()
      try store.exchange()
      try late.execute("INSERT INTO t VALUES (2, 'late')")
    }

    /// All that the store has, declared by it and `a`.
    func declaration(weight: UInt64 = 2) throws -> Declaration {
      let knowledge = try store.store.read { try $0.version }.knowledge
      return Declaration(
        weight: weight, members: [store.store.peer, a.store.peer],
        entries: knowledge.entries.map {
          BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: .zero)
        })
    }

    func remember(_ record: HorizonRecord) throws {
      try store.store.exchange { try record.write(to: $0) }
    }

    func rows() throws -> [String] { try store.rows("SELECT v FROM t ORDER BY id") }
  }

  private func withFleet(_ body: (Fleet) throws -> Void) throws {
    try withTemporaryDirectory { try body(Fleet(in: $0)) }
  }

  @Test func `what a store remembers of horizons is read as it was written`() throws {
    try withFleet { fleet in
      let (first, second) = (try fleet.declaration(), try fleet.declaration(weight: 9))
      let records = [
        HorizonRecord(), HorizonRecord(settled: second),
        HorizonRecord(
          state: HorizonState(obeyed: first, promises: [second], dropped: [3, .max]),
          settled: first),
        HorizonRecord(state: HorizonState(obeyed: nil, promises: [first, second], dropped: [])),
      ]
      for record in records {
        try fleet.remember(record)
        #expect(try fleet.store.store.service { try HorizonRecord($0) } == record)
      }
    }
  }

  @Test(arguments: ["promises 00", "forgets 0000000000000001", "dropped 1", "settled", ""])
  func `a record that cannot be read is damage`(line: String) throws {
    try withFleet { fleet in
      try fleet.store.store.exchange {
        try Settings($0).set(.horizon, lines: [line, "dropped 0000000000000001"])
      }
      try fleet.store.execute("INSERT INTO t VALUES (7, 'own')")
      _ = try fleet.late.publish()
      let error = #expect(throws: StoreError.self) { try fleet.store.synchronize() }
      #expect(error?.code == .damaged)
      // What it wrote is out all the same, as the remedy says.
      _ = try fleet.late.synchronize()
      #expect(try fleet.late.rows("SELECT v FROM t ORDER BY id") == ["a", "late", "own"])
      #expect(try fleet.store.diagnose().contains { "\($0)".contains("promise") })
    }
  }

  @Test(arguments: [true, false])
  func `what its author did not know the horizon of waits outside, everything else comes in`(
    isObeyed: Bool
  ) throws {
    try withFleet { fleet in
      let declaration = try fleet.declaration()
      try fleet.remember(
        HorizonRecord(
          state: HorizonState(
            obeyed: isObeyed ? declaration : nil, promises: isObeyed ? [] : [declaration],
            dropped: [])))
      _ = try fleet.late.publish()
      try fleet.a.execute("INSERT INTO t VALUES (3, 'of a')")
      _ = try fleet.a.publish()
      let report = try fleet.store.synchronize()
      #expect(try fleet.rows() == ["a", "of a"])
      let waiting = Waiting(
        peer: fleet.late.store.peer, sequence: SequenceNumber(1),
        reason: .fenced(declaration.identifier))
      #expect(report.waiting == [waiting])
      #expect(try fleet.store.status().waiting == [waiting])
      #expect(report.delays.count == 1)
      // What the late device writes once it has everything passes, but not before its first transaction.
      _ = try fleet.late.synchronize()
      try fleet.late.execute("INSERT INTO t VALUES (4, 'later')")
      _ = try fleet.late.publish()
      #expect(try fleet.store.synchronize().waiting == [waiting])
      // Without the promise, it comes in.
      try fleet.remember(HorizonRecord())
      #expect(try fleet.store.synchronize().waiting.isEmpty)
      #expect(try fleet.rows() == ["a", "late", "of a", "later"])
    }
  }

  @Test func `a write that is based on an older version than the horizon is refused`() throws {
    try withFleet { fleet in
      try fleet.a.execute("INSERT INTO t VALUES (3, 'of a')")
      _ = try fleet.a.publish()
      let old = try fleet.store.store.read { try $0.version }
      _ = try fleet.store.synchronize()
      let new = try fleet.store.store.read { try $0.version }
      try fleet.remember(
        HorizonRecord(
          state: HorizonState(obeyed: try fleet.declaration(), promises: [], dropped: [])))
      let error = #expect(throws: StoreError.self) {
        try fleet.store.store.write(basedOn: old) { try $0.execute("DELETE FROM t") }
      }
      #expect(error?.code == .version)
      #expect(try fleet.rows() == ["a", "of a"])
      try fleet.store.execute("INSERT INTO t VALUES (9, 'x')")
      try fleet.store.store.write(basedOn: new) {
        try $0.execute("UPDATE t SET v = 'y' WHERE id = 3")
      }
      #expect(try fleet.rows() == ["a", "y", "x"])
    }
  }

  @Test func `a write that is based on a version from before the horizon does not come in`() throws
  {
    try withFleet { fleet in
      let old = try fleet.a.store.read { try $0.version }
      try fleet.a.execute("INSERT INTO t VALUES (5, 'five')")
      try fleet.a.exchange()
      try fleet.store.exchange()
      try fleet.remember(
        HorizonRecord(
          state: HorizonState(obeyed: try fleet.declaration(), promises: [], dropped: [])))
      try fleet.a.execute("INSERT INTO t VALUES (6, 'six')")
      try fleet.a.store.write(basedOn: old) {
        try $0.execute("UPDATE t SET v = 'old' WHERE id = 1")
      }
      _ = try fleet.a.publish()
      #expect(try fleet.store.synchronize().waiting.map(\.sequence.rawValue) == [4])
      #expect(try fleet.rows() == ["a", "five", "six"])
    }
  }
}
