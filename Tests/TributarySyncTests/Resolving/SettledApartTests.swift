import Testing
import TributaryCore
import TributaryStore
import TributarySync

/// One conflict over a UNIQUE key that several devices settle, none of which knows of the others.
struct SettledApartTests {
  private static let tables = """
    CREATE TABLE u (k TEXT PRIMARY KEY, a UNIQUE, x INTEGER);
    CREATE TABLE p (k TEXT PRIMARY KEY);
    CREATE TABLE c (k TEXT PRIMARY KEY, p REFERENCES p (k), x);
    """
  private static let all = "SELECT * FROM u"
  private static let visible: [Value] = ["v", "A", 1]
  private static let held: [Value] = ["h", "A", 2]

  /// Every way in which three devices, or two, can settle it one after the other.
  static let orders: [[Resolution]] = [2, 3].flatMap { count in
    (0..<(1 << count)).map { bits in
      (0..<count).map { bits >> $0 & 1 == 0 ? .keep : .restore }
    }
  }

  private func withHeldRow(
    _ names: [String], merge: MergeOptions = MergeOptions(),
    _ body: (ConflictFixture, Conflict) throws -> Void
  ) throws {
    try withConflicts(Self.tables, names: names, merge: merge) { devices in
      try devices.write("a", "INSERT INTO u VALUES ('v', 'A', 1)")
      try devices.write("b", "INSERT INTO u VALUES ('h', 'A', 2)")
      try devices.exchange()
      let conflict = try devices.conflict("a")
      #expect(conflict.kind == .unique && conflict.key == ["h"])
      try body(devices, conflict)
    }
  }

  private func settle(
    _ devices: ConflictFixture, _ conflict: Conflict, _ order: [Resolution]
  ) throws {
    for (name, resolution) in zip(devices.names, order) {
      devices.clock.advance(by: 1000)
      #expect(try devices.session(name).resolve(conflict.id, resolution))
    }
    try devices.exchange()
  }

  @Test(arguments: Self.orders)
  func `the last one decides, and what it deletes is a conflict if another device wanted it`(
    order: [Resolution]
  ) throws {
    try withHeldRow(Array(["a", "b", "c"].prefix(order.count))) { devices, conflict in
      try settle(devices, conflict, order)
      let isKept = order.last == .keep
      for name in devices.names {
        #expect(try devices.rows(name, Self.all) == [isKept ? Self.visible : Self.held])
        let conflicts = try devices.session(name).conflicts()
        #expect(conflicts == (try devices.session("a").conflicts()))
        // One for each device that wanted the other row.
        #expect(conflicts.count == order.count { $0 != order.last })
        for lost in conflicts {
          #expect(lost.kind == .delete && lost.key == [isKept ? "h" : "v"])
          let values = lost.values.map(\.value)
          #expect(values == (isKept ? Self.held : Self.visible))
        }
      }
      #expect(try devices.session("a").store.digest() == devices.session("b").store.digest())
    }
  }

  @Test func `where rows are counted in, both are in conflicts at the worst`() throws {
    let merge = MergeOptions(tables: ["u": TableMerge(columns: ["x": .counter])])
    for order in Self.orders where order.count == 2 && order[0] != order[1] {
      try withHeldRow(["a", "b"], merge: merge) { devices, conflict in
        try settle(devices, conflict, order)
        for name in devices.names {
          let shown = try devices.rows(name, "SELECT k FROM u").flatMap(\.self)
          let lost = try devices.session(name).conflicts().flatMap(\.key)
          #expect(Set(shown + lost) == ["h", "v"])
        }
      }
    }
  }

  @Test
  func `a child that is restored with its parent is not lost where another device deletes it`()
    throws
  {
    for isRestoredLast in [false, true] {
      try withConflicts(Self.tables) { devices in
        try devices.write("a", "INSERT INTO p VALUES ('p')")
        try devices.exchange()
        try devices.write("a", "DELETE FROM p")
        try devices.write("b", "INSERT INTO c VALUES ('c', 'p', 7)")
        try devices.exchange()
        let conflict = try devices.conflict("a")
        let order: [Resolution] = isRestoredLast ? [.keep, .restore] : [.restore, .keep]
        try settle(devices, conflict, order)
        for name in devices.names {
          #expect(try devices.rows(name, "SELECT k FROM p") == [["p"]])
          let shown = try devices.rows(name, "SELECT k FROM c")
          #expect(shown == (isRestoredLast ? [["c"]] : []))
          let lost = try devices.session(name).conflicts()
          #expect(lost.map(\.kind) == (isRestoredLast ? [] : [.delete]))
          #expect(lost.allSatisfy { $0.key == ["c"] })
        }
      }
    }
  }

  @Test func `a row that would go on being held is not restored, and what it waits for is named`()
    throws
  {
    try withConflicts(Self.tables, names: ["a", "b", "c"]) { devices in
      for (name, key) in [("a", "v"), ("b", "g"), ("c", "h")] {
        try devices.write(name, "INSERT INTO u VALUES ('\(key)', 'A', 1)")
      }
      try devices.exchange()
      let conflicts = try devices.session("a").conflicts()
      let first = try #require(conflicts.first { $0.key == ["g"] })
      let second = try #require(conflicts.first { $0.key == ["h"] })
      do {
        try devices.session("a").resolve(second.id, .restore)
        Issue.record("it is restored")
      } catch let error as SyncError {
        #expect(error.code == .unrestorable)
        #expect(error.message.contains(first.id), "\(error)")
      }
      #expect(try devices.rows("a", "SELECT k FROM u") == [["v"]])
      #expect(try devices.session("a").conflicts() == conflicts)
      #expect(try devices.session("a").resolve(first.id, .keep))
      #expect(try devices.session("a").resolve(second.id, .restore))
      try devices.exchange()
      for name in devices.names {
        #expect(try devices.rows(name, "SELECT k FROM u") == [["h"]])
        #expect(try devices.session(name).conflicts().isEmpty)
      }
    }
  }
}
