import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices with different versions of one application, of which none follows the schema of the others.
struct MixedVersionTests {
  private static let first = Migration(
    name: "1",
    sql:
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT); CREATE TABLE s (k TEXT PRIMARY KEY NOT NULL)"
  )
  private static let second = Migration(
    name: "2",
    sql: """
      ALTER TABLE t ADD COLUMN w TEXT NOT NULL DEFAULT 'none';
      ALTER TABLE t ADD COLUMN doubled AS (v || w) VIRTUAL;
      CREATE TABLE u (k INTEGER PRIMARY KEY, x);
      """)

  /// The old and the new version, with a row that both have.
  private func withOldAndNew(
    _ body: (SyncDevices, _ old: SyncSession, _ new: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let old = try devices.open("old", Self.first.sql)
      let new = try devices.open("new", Self.first.sql)
      try old.execute("INSERT INTO t VALUES (1, 'a')")
      try exchange(old, new)
      try new.store.migrate([Self.first, Self.second])
      try body(devices, old, new)
    }
  }

  @Test func `what an older version writes takes the defaults of new columns`() throws {
    try withOldAndNew { devices, old, new in
      try old.execute("INSERT INTO t VALUES (2, 'b')")
      try exchange(old, new)
      #expect(
        try new.rows("SELECT k, w, doubled FROM t ORDER BY k") == ["1|none|anone", "2|none|bnone"])
      #expect(try Engine.verify(store: devices.path("new")).differenceCount == 0)
    }
  }

  @Test func `what a newer version writes with a new column or table waits, and only that`() throws
  {
    try withOldAndNew { _, old, new in
      try new.execute("INSERT INTO s VALUES ('plain')")
      try new.exchange()
      #expect(try old.synchronize().waiting.isEmpty)
      try new.execute("INSERT INTO u VALUES (1, 'u')")
      try new.execute("INSERT INTO s VALUES ('after')")
      try new.exchange()
      let waiting = try old.synchronize().waiting
      #expect(waiting.map(\.sequence) == [SequenceNumber(2)])
      #expect(try old.rows("SELECT * FROM s") == ["plain"])
      // What does not depend on it goes on.
      try old.execute("INSERT INTO s VALUES ('old')")
      _ = try old.synchronize()
      try new.exchange()
      #expect(try new.rows("SELECT * FROM s ORDER BY k") == ["after", "old", "plain"])
      try old.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(old, new)
      #expect(try old.rows("SELECT * FROM u") == ["1|u"])
    }
  }

  @Test func `what waits behind a newer version's writes is helped by the migration`() throws {
    try withOldAndNew { devices, old, new in
      try new.execute("INSERT INTO u VALUES (1, 'u')")
      try new.exchange()
      // A device that knew them writes, and another one that knew that.
      var later: [PeerIdentity] = []
      for name in ["third", "fourth"] {
        let device = try devices.open(name)
        try device.execute("INSERT INTO s VALUES ('\(name)')")
        try device.exchange()
        later.append(try device.store.identity().peer)
      }
      let delays = try old.synchronize().delays
      for peer in later {
        let delay = try #require(delays.first { $0.waiting.contains { $0.peer == peer } })
        #expect(
          delay.explanation.contains("it has arrived, and waits itself: the log has a table u"))
        #expect(delay.remedy == "run the migration that makes it, then sync again")
      }
    }
  }

  @Test func `an update by an older version never wipes a new column`() throws {
    try withOldAndNew { _, old, new in
      try new.execute("UPDATE t SET w = 'set' WHERE k = 1")
      try new.exchange()
      _ = try old.synchronize()
      try old.execute("UPDATE t SET v = 'changed' WHERE k = 1")
      _ = try old.synchronize()
      try new.exchange()
      #expect(try new.rows("SELECT k, v, w FROM t") == ["1|changed|set"])
      try old.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(old, new)
      #expect(try old.rows("SELECT k, v, w FROM t") == ["1|changed|set"])
    }
  }

  @Test func `an update of a row that was dead then does not count for a later life of it`() throws
  {
    try withOldAndNew { devices, old, new in
      try exchange(old, new)
      let third = try devices.open("third")
      try exchange(old, new, third)
      // By the times: a deletion, then an update that does not know it, then the row again.
      try old.execute("DELETE FROM t WHERE k = 1")
      try third.execute("UPDATE t SET w = 'late' WHERE k = 1")
      try old.execute("INSERT INTO t VALUES (1, 'again')")
      _ = try old.synchronize()
      try new.exchange()
      #expect(try new.rows("SELECT k, v, w FROM t") == ["1|again|none"])
      try third.exchange()
      try new.exchange()
      try old.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(old, new, third)
      for session in [old, new, third] {
        #expect(try session.rows("SELECT k, v, w FROM t") == ["1|again|none"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  /// Defaults that are another value each time, and the value that a row gets which lacks the column in its log.
  private static let varying = [
    ("TEXT DEFAULT CURRENT_TIMESTAMP", "null"), ("REAL DEFAULT (julianday('now'))", "null"),
    ("TEXT NOT NULL DEFAULT (hex(randomblob(8)))", ""),
    ("INTEGER NOT NULL DEFAULT (random())", "0"), ("INTEGER DEFAULT (abs(-5) + 1)", "6"),
  ]

  @Test(arguments: varying)
  func `a row of an older version gets the same where the default of a new column varies`(
    column: String, value: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let old = try devices.open("old", Self.first.sql)
      let new = try devices.open("new", Self.first.sql)
      try old.execute("INSERT INTO t VALUES (1, 'a')")
      try exchange(old, new)
      let migration = Migration(
        name: "2",
        sql: """
          CREATE TABLE other (k INTEGER PRIMARY KEY, v TEXT, made \(column));
          INSERT INTO other SELECT k, v, 'then' FROM t; DROP TABLE t; ALTER TABLE other RENAME TO t
          """)
      try new.store.migrate([Self.first, migration])
      try old.execute("INSERT INTO t VALUES (2, 'b'), (4, 'd')")
      _ = try old.synchronize()
      try new.exchange()
      // Where it is known that the migration has run, it writes none of its rows.
      var request = AttachRequest(
        store: devices.path("old"), container: devices.container, contentName: "C")
      request.migrations = [Migration(name: "1", sql: Self.first.sql), migration]
      _ = try Engine.attach(request)
      // The database has what no log says of row 2, and a row of its own.
      try Connection(path: devices.path("joined"), mode: .create).execute(
        """
        CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, made \(column));
        CREATE TABLE s (k TEXT PRIMARY KEY NOT NULL);
        INSERT INTO t VALUES (1, 'a', 'then'), (2, 'b', 'own'), (3, 'c', 'mine')
        """)
      let joined = try devices.open("joined")
      let fresh = try devices.open("fresh")
      try expectEqualAfterExchange(old, new, joined, fresh)
      for session in [old, new, joined, fresh] {
        #expect(
          try session.rows("SELECT k, v, made FROM t ORDER BY k")
            == ["1|a|then", "2|b|own", "3|c|mine", "4|d|\(value)"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        session.store.close()
        #expect(try Engine.rebuild(store: session.store.path).setAside == nil)
      }
    }
  }

  @Test func `an insertion by an older version gives a new column its default`() throws {
    try withOldAndNew { _, old, new in
      try new.execute("UPDATE t SET w = 'set' WHERE k = 1")
      try new.exchange()
      _ = try old.synchronize()
      try old.execute("DELETE FROM t WHERE k = 1")
      try old.execute("INSERT INTO t VALUES (1, 'again')")
      _ = try old.synchronize()
      try new.exchange()
      #expect(try new.rows("SELECT k, v, w FROM t") == ["1|again|none"])
      try old.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(old, new)
      #expect(try old.rows("SELECT k, v, w FROM t") == ["1|again|none"])
    }
  }

  @Test func `a replacement by an older version never wipes a new column either`() throws {
    try withOldAndNew { devices, old, new in
      try new.execute("UPDATE t SET w = 'set' WHERE k = 1")
      try new.exchange()
      _ = try old.synchronize()
      // An insertion over a living row sets the columns that it gives.
      try old.execute("REPLACE INTO t VALUES (1, 'again')")
      _ = try old.synchronize()
      try new.exchange()
      #expect(try new.rows("SELECT k, v, w FROM t") == ["1|again|set"])
      try old.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(old, new)
      for name in ["old", "new"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `rows of an older version that break a new constraint are held`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let old = try devices.open("old", Self.first.sql)
      let new = try devices.open("new", Self.first.sql)
      try exchange(old, new)
      let unique = Migration(name: "2", sql: "CREATE UNIQUE INDEX by_v ON t (v)")
      try new.store.migrate([Self.first, unique])
      try new.execute("INSERT INTO t VALUES (1, 'x')")
      try exchange(new, old)
      try old.execute("INSERT INTO t VALUES (2, 'x')")
      try exchange(old, new)
      #expect(try old.rows("SELECT k FROM t ORDER BY k") == ["1", "2"])
      #expect(try new.rows("SELECT k FROM t ORDER BY k") == ["1"])
      let conflict = try #require(new.conflicts().first)
      #expect(conflict.isHeld && conflict.table == "t")
      // Once the row is mended, the older one can migrate, too.
      try old.execute("UPDATE t SET v = 'y' WHERE k = 2")
      try old.store.migrate([Self.first, unique])
      try expectEqualAfterExchange(old, new)
      #expect(try new.rows("SELECT k, v FROM t ORDER BY k") == ["1|x", "2|y"])
    }
  }
}
