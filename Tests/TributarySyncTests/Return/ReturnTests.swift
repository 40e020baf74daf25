import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What becomes of the writes of a device that others have left out, when it comes back.
struct ReturnTests {
  private static let album =
    "CREATE TABLE album (code TEXT PRIMARY KEY, title TEXT, year INTEGER) WITHOUT ROWID"

  /// Has the absent device write, then the others, who agree afterwards; then the absent one comes back. Once more, it is
  /// lost, and another device issues again what it had published.
  ///
  /// - Parameter keepsLogs: whether the absent device still finds the logs of the others.
  private func comingBack(
    _ script: String = album, merge: MergeOptions? = nil, setup: String = "", absent: [String],
    others: [String] = [], keepsLogs: Bool = true,
    _ body: (ReturnFleet, ReturnReport) throws -> Void
  ) throws {
    for (isLost, capture) in [(false, CaptureMethod.hook), (false, .triggers), (true, .triggers)]
    where keepsLogs || !isLost {
      try withTemporaryDirectory { path in
        var fleet = try ReturnFleet(
          in: path, script, merge: merge, setup: setup, capture: capture)
        fleet.isLost = isLost
        for sql in absent { try fleet.absent.execute(sql) }
        for sql in others { try fleet.a.execute(sql) }
        try fleet.declare()
        if !keepsLogs { try fleet.removeLogs() }
        try body(fleet, try fleet.comeBack())
      }
    }
  }

  private static let all = "SELECT * FROM album ORDER BY code"

  @Test(arguments: [true, false])
  func `what it has inserted is there`(keepsLogs: Bool) throws {
    try comingBack(
      absent: ["INSERT INTO album VALUES ('blue', 'Blue', 1971)"],
      others: ["INSERT INTO album VALUES ('court', 'Court and Spark', 1974)"], keepsLogs: keepsLogs
    ) { (fleet, report) throws in
      try fleet.expect(Self.all, ["blue|Blue|1971", "court|Court and Spark|1974"])
      try fleet.expect(conflicts: [])
      #expect(report.fenced == (fleet.isLost ? 0 : 1))
      #expect(report.fencedOfOthers == (fleet.isLost ? 1 : 0))
      #expect(report.reissued == 1)
      #expect(report.former != nil)
      let returned = fleet.isLost ? fleet.a.store.peer : fleet.absent.store.peer
      #expect(returned != report.former)
      #expect(returned.lineage != report.former?.lineage)
    }
  }

  @Test func `afterwards a database that has rows joins`() throws {
    try comingBack(
      absent: ["INSERT INTO album VALUES ('blue', 'Blue', 1971)"],
      others: ["INSERT INTO album VALUES ('court', 'Court and Spark', 1974)"]
    ) { (fleet, _) throws in
      let database = try Connection(path: fleet.devices.path("more"), mode: .create)
      try database.execute("\(Self.album); INSERT INTO album VALUES ('hejira', 'Hejira', 1976)")
      database.close()
      let report = try fleet.devices.attach("more")
      #expect(report.isComplete)
      let more = try SyncSession(store: fleet.devices.path("more"))
      for session in [more] + fleet.present { try session.exchange() }
      try fleet.expect(
        Self.all, ["blue|Blue|1971", "court|Court and Spark|1974", "hejira|Hejira|1976"])
      try expectEqualAfterExchange(more, fleet.a)
    }
  }

  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `what others have written since comes with it`(capture: CaptureMethod) throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(in: path, Self.album, capture: capture)
      try fleet.absent.execute("INSERT INTO album VALUES ('blue', 'Blue', 1971)")
      try fleet.declare()
      try fleet.a.execute("INSERT INTO album VALUES ('court', 'Court and Spark', 1974)")
      try fleet.a.exchange()
      try fleet.comeBack()
      try fleet.expect(Self.all, ["blue|Blue|1971", "court|Court and Spark|1974"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `a column that nobody has written since has its value`() throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)",
      absent: ["UPDATE album SET title = 'Blue'"], others: ["UPDATE album SET year = 1971"]
    ) { (fleet, _) throws in
      try fleet.expect(Self.all, ["blue|Blue|1971"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `without the logs nobody knows that, and its value is in a conflict`() throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)",
      absent: ["UPDATE album SET title = 'Blue'"], others: ["UPDATE album SET year = 1971"],
      keepsLogs: false
    ) { (fleet, report) throws in
      try fleet.expect(Self.all, ["blue|Blu|1971"])
      try fleet.expect(conflicts: ["update album title=Blue"])
      #expect(report.reissued == 2)
    }
  }

  @Test(arguments: [true, false])
  func `a column that others have written since keeps their value`(keepsLogs: Bool) throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)",
      absent: ["UPDATE album SET title = 'Blue'"], others: ["UPDATE album SET title = 'BLUE'"],
      keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect(Self.all, ["blue|BLUE|1970"])
      try fleet.expect(conflicts: ["update album title=Blue"])
    }
  }

  @Test(arguments: [true, false])
  func `equal values are no conflict`(keepsLogs: Bool) throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)",
      absent: ["UPDATE album SET title = 'Blue'"], others: ["UPDATE album SET title = 'Blue'"],
      keepsLogs: keepsLogs
    ) { (fleet, report) throws in
      try fleet.expect(Self.all, ["blue|Blue|1970"])
      try fleet.expect(conflicts: [])
      #expect(report.reissued == 0)
    }
  }

  @Test(arguments: [true, false])
  func `a row that others have deleted stays deleted`(keepsLogs: Bool) throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970), ('court', 'Court', 1974)",
      absent: ["UPDATE album SET title = 'Blue' WHERE code = 'blue'"],
      others: ["DELETE FROM album"], keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect(Self.all, [])
      // A device that has read of the deletion before has only what was lost.
      try fleet.expect(
        conflicts: [
          fleet.isLost
            ? "delete album code=blue title=Blue year=null"
            : "delete album " + (keepsLogs ? "title=Blue" : "code=blue title=Blue year=1970")
        ]
      )
    }
  }

  @Test func `a conflict about such a row brings it back`() throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)",
      absent: ["UPDATE album SET title = 'Blue'"], others: ["DELETE FROM album"], keepsLogs: false
    ) { (fleet, _) throws in
      let conflict = try #require(try fleet.b.conflicts().first)
      _ = try fleet.b.resolve(conflict.id, .restore)
      try fleet.expectEqual()
      try fleet.expect(Self.all, ["blue|Blue|1970"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `what it has deleted is gone, unless somebody has written it since`() throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970), ('court', 'Court', 1974)",
      absent: ["DELETE FROM album"], others: ["UPDATE album SET year = 1971 WHERE code = 'blue'"]
    ) { (fleet, report) throws in
      try fleet.expect(Self.all, ["blue|Blu|1971"])
      try fleet.expect(conflicts: [])
      #expect(report.undeleted == 1)
    }
  }

  @Test func `what it has deleted stays if nobody knows what it deleted`() throws {
    try comingBack(
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)", absent: ["DELETE FROM album"],
      others: ["INSERT INTO album VALUES ('court', 'Court', 1974)"], keepsLogs: false
    ) { (fleet, report) throws in
      try fleet.expect(Self.all, ["blue|Blu|1970", "court|Court|1974"])
      try fleet.expect(conflicts: [])
      #expect(report.undeleted == 1)
    }
  }

  @Test(arguments: [true, false])
  func `a row that both have inserted under one key is the row of the others`(keepsLogs: Bool)
    throws
  {
    try comingBack(
      absent: ["INSERT INTO album VALUES ('blue', 'Blu', 1971)"],
      others: ["INSERT INTO album VALUES ('blue', 'Blue', 1971)"], keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect(Self.all, ["blue|Blue|1971"])
      try fleet.expect(conflicts: ["update album title=Blu"])
    }
  }

  @Test func `a table that merges by row keeps whole rows`() throws {
    var merge = TableMerge()
    merge.merge = .row
    try comingBack(
      merge: MergeOptions(tables: ["album": merge]),
      setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970), ('court', 'Court', 1974)",
      absent: [
        "UPDATE album SET title = 'Blue' WHERE code = 'blue'",
        "UPDATE album SET title = 'Court and Spark' WHERE code = 'court'",
      ],
      others: ["UPDATE album SET year = 1971 WHERE code = 'blue'"]
    ) { (fleet, _) throws in
      try fleet.expect(Self.all, ["blue|Blu|1971", "court|Court and Spark|1974"])
      try fleet.expect(conflicts: ["update album title=Blue year=1970"])
    }
  }

  @Test(arguments: [true, false])
  func `counters add up, and the largest and smallest values stay`(keepsLogs: Bool) throws {
    var merge = TableMerge()
    merge.columns = [
      SQLName("plays"): .counter, SQLName("best"): .max, SQLName("least"): .min,
    ]
    try comingBack(
      "CREATE TABLE track (code TEXT PRIMARY KEY, plays INTEGER, best INTEGER, least INTEGER)",
      merge: MergeOptions(tables: ["track": merge]),
      setup: "INSERT INTO track VALUES ('carey', 10, 5, 5), ('coyote', 10, 5, 5)",
      absent: [
        "UPDATE track SET plays = plays + 1, best = 9, least = 4",
        "UPDATE track SET plays = plays + 1, best = 10 WHERE code = 'carey'",
      ],
      others: ["UPDATE track SET plays = plays + 5, best = 7, least = 1 WHERE code = 'carey'"],
      keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect("SELECT * FROM track ORDER BY code", ["carey|17|10|1", "coyote|11|9|4"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test(arguments: [true, false])
  func `large values, and keys of several columns, come back`(keepsLogs: Bool) throws {
    try comingBack(
      "CREATE TABLE page (book TEXT COLLATE NOCASE, number INTEGER, scan BLOB, PRIMARY KEY (book, number))",
      setup: "INSERT INTO page VALUES ('A', 1, x'00')",
      absent: [
        "INSERT INTO page VALUES ('a', 2, zeroblob(6000000)), ('b', 1, zeroblob(5000000))",
        "UPDATE page SET scan = zeroblob(7000000) WHERE number = 1 AND book = 'a'",
      ], others: ["INSERT INTO page VALUES ('c', 1, NULL)"], keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      let first = keepsLogs ? "A|1|7000000" : "A|1|1"
      try fleet.expect(
        "SELECT book, number, length(scan) FROM page ORDER BY 1, 2",
        [first, "a|2|6000000", "b|1|5000000", "c|1|null"])
      try fleet.expect(conflicts: (keepsLogs ? [] : ["update page scan=7000000 bytes"]))
    }
  }

  @Test func `a row that takes a UNIQUE key of the others is held`() throws {
    try comingBack(
      "CREATE TABLE artist (code TEXT PRIMARY KEY, name TEXT UNIQUE)",
      absent: ["INSERT INTO artist VALUES ('x', 'Joni')"],
      others: ["INSERT INTO artist VALUES ('y', 'Joni')"]
    ) { (fleet, _) throws in
      try fleet.expect("SELECT * FROM artist", ["y|Joni"])
      try fleet.expect(conflicts: ["unique artist code=x name=Joni"])
      try fleet.b.execute("UPDATE artist SET name = 'Joni M' WHERE code = 'y'")
      try fleet.expectEqual()
      try fleet.expect("SELECT * FROM artist ORDER BY code", ["x|Joni", "y|Joni M"])
    }
  }

  @Test func `what had lost already is still in a conflict`() throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(
        in: path, Self.album, setup: "INSERT INTO album VALUES ('blue', 'Blu', 1970)")
      try fleet.absent.execute("UPDATE album SET title = 'lost'")
      try fleet.a.execute("UPDATE album SET title = 'won'")
      _ = try fleet.a.publish()
      // It has the write of `a`, which nobody knows of the absent device's.
      let report = try fleet.absent.synchronize()
      #expect(report.conflicts == 1)
      try fleet.withoutAbsent { _ = try fleet.declare() }
      try fleet.comeBack()
      try fleet.expect(Self.all, ["blue|won|1970"])
      try fleet.expect(conflicts: ["update album title=lost"])
    }
  }

  @Test(arguments: [true, false])
  func `rows that were given one number are two rows, and references follow`(keepsLogs: Bool) throws
  {
    try comingBack(
      """
      CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE track (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id), name TEXT);
      """,
      setup: "INSERT INTO album VALUES (1, 'Hits')",
      absent: [
        "INSERT INTO album VALUES (2, 'Blue')",
        "INSERT INTO track VALUES (1, 2, 'Carey'), (2, 1, 'Both Sides')",
        "UPDATE album SET title = 'Blue!' WHERE id = 2",
        "DELETE FROM track WHERE id = 2", "INSERT INTO track VALUES (2, 1, 'Circle')",
      ],
      others: [
        "INSERT INTO album VALUES (2, 'Hejira')", "INSERT INTO track VALUES (1, 2, 'Coyote')",
      ], keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect(
        """
        SELECT track.name, album.title, album.id > 0, track.id > 0
        FROM track JOIN album ON album.id = track.album ORDER BY 1
        """, ["Carey|Blue!|0|0", "Circle|Hits|1|0", "Coyote|Hejira|1|1"])
      try fleet.expect("SELECT count(*) FROM track", ["3"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test(arguments: [true, false])
  func `a row that was displaced among the others is the row that was meant`(keepsLogs: Bool) throws
  {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(
        in: path, "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, year INTEGER)")
      try fleet.a.execute("INSERT INTO album (title) VALUES ('of a')")
      try fleet.b.execute("INSERT INTO album (title) VALUES ('of b')")
      // The absent device has only the row of `b`, which makes room for that of `a`.
      _ = try fleet.b.publish()
      try fleet.absent.exchange()
      try fleet.withoutAbsent {
        try fleet.absent.store.write { try $0.execute("UPDATE album SET year = 1971") }
        try fleet.declare()
        if !keepsLogs { try fleet.removeLogs() }
      }
      try fleet.comeBack()
      try fleet.expect(
        "SELECT title, year, id > 0 FROM album ORDER BY 1",
        ["of a|null|1", keepsLogs ? "of b|1971|0" : "of b|null|0"])
      try fleet.expect(conflicts: keepsLogs ? [] : ["update album year=1971"])
    }
  }

  @Test(arguments: [true, false])
  func `rows that identify themselves stay apart`(keepsLogs: Bool) throws {
    try comingBack(
      "CREATE TABLE entry (text TEXT)", setup: "INSERT INTO entry VALUES ('same')",
      absent: [
        "INSERT INTO entry VALUES ('same'), ('other')", "DELETE FROM entry WHERE text = 'other'",
      ],
      others: ["INSERT INTO entry VALUES ('same')"], keepsLogs: keepsLogs
    ) { (fleet, _) throws in
      try fleet.expect("SELECT text FROM entry", ["same", "same", "same"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `rows that are declared to be the same are one row`() throws {
    try comingBack(
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, color TEXT);
      CREATE TABLE song (code TEXT PRIMARY KEY, tag INTEGER REFERENCES tag (id));
      """,
      merge: MergeOptions(tables: ["tag": TableMerge(identifyingColumns: ["name"])]),
      absent: [
        "INSERT INTO tag VALUES (1, 'folk', 'green'), (2, 'jazz', 'blue')",
        "INSERT INTO song VALUES ('carey', 1), ('coyote', 2)",
      ],
      others: ["INSERT INTO tag VALUES (1, 'jazz', 'red')"], keepsLogs: false
    ) { (fleet, _) throws in
      try fleet.expect(
        "SELECT code, name, color FROM song JOIN tag ON tag.id = tag ORDER BY 1",
        ["carey|folk|green", "coyote|jazz|red"])
      try fleet.expect("SELECT count(*) FROM tag", ["2"])
      try fleet.expect(conflicts: ["update tag color=blue"])
    }
  }

  @Test func `displaced rows take positive numbers where the table asks for it`() throws {
    try comingBack(
      "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)",
      merge: MergeOptions(tables: ["album": TableMerge(hasPositiveNumbers: true)]),
      absent: ["INSERT INTO album VALUES (1, 'Blue')"],
      others: ["INSERT INTO album VALUES (1, 'Hejira')"], keepsLogs: false
    ) { (fleet, _) throws in
      try fleet.expect(
        "SELECT title, id = 1, id > 0 FROM album ORDER BY 1", ["Blue|0|1", "Hejira|1|1"])
    }
  }
}
