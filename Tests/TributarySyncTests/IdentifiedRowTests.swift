import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that several devices made apart with equal values, of tables of which it is declared what makes rows
/// the same.
struct IdentifiedRowTests {
  private static let rights = """
    CREATE TABLE content_type (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (app, model));
    CREATE TABLE permission (
      id INTEGER PRIMARY KEY AUTOINCREMENT, type_id INTEGER NOT NULL REFERENCES content_type (id),
      codename TEXT NOT NULL, name TEXT, UNIQUE (type_id, codename));
    CREATE TABLE user_permission (
      id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL,
      permission_id INTEGER NOT NULL REFERENCES permission (id), UNIQUE (user, permission_id))
    """
  private static let rightsMerge = MergeOptions(tables: [
    "content_type": TableMerge(identifyingColumns: ["app", "model"]),
    "permission": TableMerge(identifyingColumns: ["type_id", "codename"]),
  ])

  @Test func `two devices that make the same permissions have each once, and grants follow`() throws
  {
    try withDevices(["a", "b"], Self.rights, Self.rightsMerge) { _, sessions in
      // Each device migrates by itself, in another order.
      for (session, models) in zip(
        sessions, [["track", "album", "user"], ["user", "genre", "track"]])
      {
        for model in models {
          try session.execute("INSERT INTO content_type (app, model) VALUES ('music', '\(model)')")
        }
        for verb in ["add", "change", "delete"] {
          try session.execute(
            """
            INSERT INTO permission (type_id, codename, name)
            SELECT id, '\(verb)_' || model, 'Can \(verb) ' || model FROM content_type ORDER BY id
            """)
        }
      }
      try sessions[0].execute(
        "INSERT INTO user_permission (user, permission_id) SELECT 'ann', id FROM permission WHERE codename = 'add_user'"
      )
      try sessions[1].execute(
        """
        INSERT INTO user_permission (user, permission_id) SELECT 'bob', id FROM permission WHERE codename = 'add_user';
        INSERT INTO user_permission (user, permission_id) SELECT 'bob', id FROM permission WHERE codename = 'change_genre'
        """)
      try expectEqualAfterExchange(sessions[0], sessions[1])
      for session in sessions {
        #expect(
          try session.rows("SELECT model FROM content_type ORDER BY 1")
            == ["album", "genre", "track", "user"])
        #expect(
          try session.rows("SELECT count(*), count(DISTINCT codename) FROM permission") == ["12|12"]
        )
        #expect(
          try session.rows(
            """
            SELECT count(*) FROM permission AS p JOIN content_type AS t ON t.id = p.type_id
            WHERE p.codename LIKE '%' || t.model
            """) == ["12"])
        #expect(
          try session.rows(
            """
            SELECT user, codename FROM user_permission JOIN permission AS p ON p.id = permission_id
            ORDER BY 1, 2
            """) == ["ann|add_user", "bob|add_user", "bob|change_genre"])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `columns merge, references follow, and a unique key holds nothing`() throws {
    try withDevices(["a", "b"], Library.script, Library.merge) { _, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try a.execute(
        """
        INSERT INTO artist VALUES (7, 'Miles', NULL);
        INSERT INTO album VALUES (1, 'Blue', 7);
        INSERT INTO tagging VALUES (1, 7);
        INSERT INTO play VALUES (1, '7', 'Monday')
        """)
      try b.execute(
        """
        INSERT INTO artist VALUES (7, 'Bill', NULL), (8, 'miles', 1926);
        INSERT INTO album VALUES (1, 'Green', 8), (2, 'Waltz', 7);
        INSERT INTO tagging VALUES (1, 8), (2, 7);
        INSERT INTO play VALUES (1, '8', 'Friday')
        """)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, name, born FROM artist WHERE id > 0") == ["7|miles|1926"])
        #expect(
          try session.rows(
            """
            SELECT title, name, t.artist = a.artist FROM album AS a JOIN artist AS r ON r.id = a.artist
            JOIN tagging AS t ON t.album = a.id ORDER BY 1
            """) == ["Blue|miles|1", "Green|miles|1", "Waltz|Bill|1"])
        #expect(
          try session.rows("SELECT artist_id, day FROM play ORDER BY 2") == [
            "7|Friday", "7|Monday",
          ])
        #expect(try session.conflicts().map(\.isHeld) == [false])
        #expect(try session.conflicts().map(\.key) == [[.integer(7)]])
      }
      // What is written later, under the number that the row has now, is of that row.
      try b.execute("UPDATE artist SET born = 1927, name = 'Davis' WHERE id = 7")
      try expectEqualAfterExchange(a, b)
      try a.execute("INSERT INTO artist (name) VALUES ('Miles')")
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows("SELECT name FROM artist ORDER BY name") == ["Bill", "Davis", "Miles"])
    }
  }

  @Test func `what one device edits and the other deletes is deleted, and comes back whole`() throws
  {
    try withDevices(["a", "b"], Library.script, Library.merge) { _, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try a.execute("INSERT INTO artist VALUES (1, 'Joni', NULL)")
      try b.execute("INSERT INTO artist VALUES (2, 'x', NULL), (3, 'joni', NULL)")
      try a.execute("UPDATE artist SET born = 1943 WHERE id = 1")
      try b.execute("DELETE FROM artist WHERE id = 3")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT name FROM artist") == ["x"])
      let conflicts = try a.conflicts()
      #expect(conflicts.allSatisfy { $0.kind == .delete && $0.key == [.integer(1)] })
      let conflict = try #require(conflicts.first { $0.values.map(\.column) == ["born"] })
      _ = try a.resolve(conflict.id, .restore)
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id, born FROM artist WHERE id <> 2") == ["1|1943"])
    }
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `three devices agree in whatever order they meet`(order: [Int]) throws {
    try withDevices(["a", "b", "c", "d"], Library.script, Library.merge) { _, sessions in
      for (number, session) in sessions.prefix(3).enumerated() {
        try session.execute(
          """
          INSERT INTO artist VALUES (\(number + 1), '\(number)', NULL), (\(number + 10), 'Nina', \(number));
          INSERT INTO album VALUES (1, 'of \(number)', \(number + 10))
          """)
      }
      for number in order {
        try sessions[number].exchange()
        try sessions[3].exchange()
        // Written by somebody who knows some of them, under the number that it has by then.
        try sessions[3].execute(
          """
          UPDATE artist SET born = \(100 + number) WHERE name = 'Nina';
          INSERT INTO album (title, artist) SELECT 'after \(number)', id FROM artist WHERE name = 'Nina'
          """)
      }
      try expectEqualAfterExchange(sessions[0], sessions[1], sessions[2], sessions[3])
      for session in sessions {
        #expect(
          try session.rows("SELECT id, born FROM artist WHERE name = 'Nina'")
            == ["10|\(100 + order[2])"])
        #expect(try session.rows("SELECT count(*), sum(artist = 10) FROM album") == ["6|6"])
      }
    }
  }

  @Test func `a number that became free is another row's, and what was written before is not`()
    throws
  {
    try withDevices(["a", "b", "c"], Library.script, Library.merge) { _, sessions in
      let (a, b, c) = (sessions[0], sessions[1], sessions[2])
      try a.execute("INSERT INTO artist VALUES (1, 'Ella', NULL)")
      try b.execute("INSERT INTO artist VALUES (2, 'ella', NULL)")
      try b.exchange()
      try c.exchange()
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id FROM artist") == ["1"])
      try b.execute(
        "INSERT INTO artist (name) VALUES ('Duke'); INSERT INTO album VALUES (1, 'Far East', 2)")
      // Who has not seen the other row means this one by the number.
      try c.execute(
        "UPDATE artist SET born = 1917 WHERE id = 2; INSERT INTO album VALUES (1, 'Mack', 2)")
      try expectEqualAfterExchange(a, b, c)
      for session in sessions {
        #expect(
          try session.rows("SELECT id, name, born FROM artist ORDER BY 1")
            == ["1|ella|1917", "2|Duke|null"])
        #expect(
          try session.rows(
            "SELECT title, name FROM album JOIN artist AS r ON r.id = artist ORDER BY 1")
            == ["Far East|Duke", "Mack|ella"])
      }
    }
  }

  // MARK: Databases that join

  @Test func `a database that joins has its rows under the numbers of the logs`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Library.script, merge: Library.merge)
      try a.execute(
        """
        INSERT INTO artist VALUES (1, 'Miles', 1926), (2, 'Joni', NULL), (3, 'Old', NULL), (5, 'Gone', NULL);
        INSERT INTO album VALUES (1, 'Blue', 2)
        """)
      try a.execute("UPDATE artist SET name = 'New' WHERE id = 3; DELETE FROM artist WHERE id = 5")
      try a.exchange()
      let other = try Connection(path: devices.path("b"), mode: .create)
      try other.execute(
        Library.script + """
          ;
          INSERT INTO artist VALUES (1, 'joni', NULL), (2, 'Bill', NULL), (3, 'Old', NULL), (4, 'MILES', 1900),
            (5, 'Nina', NULL);
          INSERT INTO album VALUES (7, 'Hejira', 1), (8, 'Waltz', 2), (9, 'Kind', 4), (10, 'Sinnerman', 5);
          INSERT INTO play VALUES (1, '4', 'Monday')
          """)
      other.close()
      let report = try devices.attach("b")
      // The artists Bill and Nina, four albums and a day.
      #expect(report.outcome == .joined(added: 7))
      let b = try SyncSession(store: devices.path("b"))
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, name, born FROM artist ORDER BY id")
            == ["1|Miles|1926", "2|Joni|null", "3|New|null", "6|Bill|null", "7|Nina|null"])
        #expect(
          try session.rows(
            "SELECT title, name FROM album JOIN artist AS r ON r.id = artist ORDER BY 1")
            == ["Blue|Joni", "Hejira|Joni", "Kind|Miles", "Sinnerman|Nina", "Waltz|Bill"])
        #expect(try session.rows("SELECT artist_id FROM play") == ["1"])
      }
      // What it had otherwise has lost.
      #expect(
        try Set(b.conflicts().map { "\($0.key[0]) \($0.values.map(\.column))" })
          == [
            "\(Value.integer(1)) [\"name\", \"born\"]", "\(Value.integer(2)) [\"name\"]",
            "\(Value.integer(3)) [\"name\"]",
          ])
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }
}
