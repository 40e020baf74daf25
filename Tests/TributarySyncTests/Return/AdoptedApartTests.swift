import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Two large copies of one database that were adopted apart, and have each forgotten what was written afterwards.
struct AdoptedApartTests {
  /// Adopts two copies, lets each device write and forget, and then has a carrier bring what each has to the other.
  ///
  /// - Parameters:
  ///   - onlyHere: what a program writes into both copies before they are adopted.
  ///   - body: examines the devices. It gets the reports of those that have come back.
  private func withSides(
    onlyHere: (a: String, b: String) = ("", ""), a: String, b: String,
    _ body: (HorizonFleet, [ReturnReport]) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, schema: "", isCarried: true)
      for (name, more) in [("a", onlyHere.a), ("b", onlyHere.b)] {
        let connection = try Connection(path: fleet.devices.path(name), mode: .create)
        try connection.execute(
          """
          CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
          CREATE TABLE note (id TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;
          CREATE TABLE play (title TEXT);
          CREATE TABLE large (v BLOB);
          INSERT INTO album VALUES (1, 'Blue', 0), (2, 'Court', 0), (3, 'Hejira', 0), (4, 'Mingus', 0);
          INSERT INTO note VALUES ('x', 'old'), ('y', 'old'), ('z', 'old');
          INSERT INTO play VALUES ('Blue');
          INSERT INTO large VALUES (zeroblob(5000000));
          \(more)
          """)
        connection.close()
        _ = try fleet.attach(name)
      }
      for (name, sql) in [("a", a), ("b", b)] {
        try fleet.write(sql, on: name)
        try fleet.meet(name)
        _ = try fleet[name].writeBaseline()
        try fleet.meet(name)
        let settled = try #require(try fleet.record(name).settled)
        #expect(settled.horizon[fleet.peer(name)].rawValue == 2)
      }
      var random = SeededGenerator(seed: 1)
      var returned: [ReturnReport] = []
      for _ in 0..<4 {
        try fleet.carryEverything(&random)
        for name in ["a", "b"] {
          fleet.clock.advance(by: 1)
          if let report = try fleet[name].synchronize().returned { returned.append(report) }
        }
      }
      try fleet.expectEqual()
      for name in ["a", "b"] {
        let report = try Engine.verify(
          store: fleet.devices.path(name), environment: fleet.environment)
        #expect(report.differences.isEmpty)
      }
      try body(fleet, returned)
    }
  }

  private func conflicts(_ fleet: HorizonFleet) throws -> [String] {
    try fleet["a"].conflicts().map { "\($0.kind.rawValue) \($0.table)" }.sorted()
  }

  @Test func `what either has deleted is counted or in a conflict`() throws {
    try withSides(
      a: "DELETE FROM album WHERE id = 2; DELETE FROM note WHERE id = 'x'",
      b: "DELETE FROM album WHERE id = 3; DELETE FROM note WHERE id = 'y'"
    ) { (fleet, returned) throws in
      // One of the two comes back. What it has deleted is there again; what the other has deleted is in a conflict.
      #expect(returned.map(\.undeleted) == [2])
      #expect(try conflicts(fleet) == ["delete album", "delete note"])
      #expect(try fleet["a"].rows("SELECT count(*) FROM album") == ["3"])
      #expect(try fleet["a"].rows("SELECT count(*) FROM note") == ["2"])
    }
  }

  @Test func `what both have inserted stays`() throws {
    let sql = { (text: String) in
      "INSERT INTO album VALUES (5, '\(text)', 0); INSERT INTO play VALUES ('\(text)')"
    }
    try withSides(a: sql("of a"), b: sql("of b")) { (fleet, _) throws in
      #expect(try conflicts(fleet) == [])
      #expect(
        try fleet["a"].rows("SELECT title FROM album WHERE title LIKE 'of%' ORDER BY title")
          == ["of a", "of b"])
      #expect(
        try fleet["a"].rows("SELECT title FROM play ORDER BY title") == ["Blue", "of a", "of b"])
    }
  }

  @Test func `what only one copy had is there, and what it has written in it`() throws {
    let only = { (text: String) in "INSERT INTO note VALUES ('\(text)', 'only here')" }
    let sql = { (text: String) in "UPDATE note SET v = 'new' WHERE id = '\(text)'" }
    try withSides(onlyHere: (only("a"), only("b")), a: sql("a"), b: sql("b")) { (fleet, _) throws in
      #expect(try conflicts(fleet) == [])
      #expect(
        try fleet["a"].rows("SELECT id, v FROM note WHERE id < 'x' ORDER BY id")
          == ["a|new", "b|new"])
    }
  }

  /// The row of the other copy differs in both columns. Only one of these is in a transaction that is still there.
  @Test func `what a program had written before is in a conflict, too`() throws {
    let only = { (text: String) in "UPDATE album SET year = \(text) WHERE id = 1" }
    let sql = { (text: String) in "UPDATE album SET title = '\(text)' WHERE id = 1" }
    try withSides(
      onlyHere: (only("1971"), only("1972")), a: sql("of a"), b: sql("of b")
    ) { (fleet, _) throws in
      let lost = try fleet["a"].conflicts().flatMap { $0.values.map(\.column) }
      #expect(lost.sorted() == ["title", "year"])
    }
  }
}
