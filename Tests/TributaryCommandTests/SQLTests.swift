import Foundation
import Testing
import TributaryCommand

struct SQLTests {
  private static let rows = """
    SELECT 1 AS id, 'a,"b"' AS "ti\ttle", 1.0 AS r, x'00ff' AS b, NULL AS n, 9e999 AS i, '' AS e
    """

  @Test func `JSON is a row a line, in the order of the columns`() throws {
    try withStores { stores in
      #expect(
        stores.sql("a", Self.rows + "; SELECT CAST(x'ff' AS TEXT) AS t", "--json") == """
          {"id":1,"ti\\ttle":"a,\\"b\\"","r":1.0,"b":{"blob":"00ff"},"n":null,"i":{"real":"inf"},\
          "e":""}
          {"t":{"text":"ff"}}

          """)
    }
  }

  @Test func `CSV is as in RFC 4180`() throws {
    try withStores { stores in
      #expect(
        stores.sql("a", Self.rows, "--csv")
          == "id,ti\ttle,r,b,n,i,e\r\n1,\"a,\"\"b\"\"\",1.0,\u{0}\u{FFFD},,Inf,\"\"\r\n")
      #expect(stores.sql("a", "SELECT 'x\ny' AS a", "--csv") == "a\r\n\"x\ny\"\r\n")
      #expect(stores.sql("a", "SELECT 1 AS a WHERE 0", "--csv") == "")
    }
  }

  @Test func `without a terminal, values are separated by tabs`() throws {
    try withStores { stores in
      #expect(
        stores.sql("a", "SELECT 1, 'a\u{1B}', NULL, 2.5; SELECT 3") == "1\ta\u{1B}\t\t2.5\n3\n")
    }
  }

  @Test func `on a terminal, columns are aligned and safe`() throws {
    try withStores { stores in
      let sql = "SELECT 10 AS n, 'a\u{1B}' AS t UNION ALL SELECT 2, NULL; SELECT 'z' AS \"h\n\""
      let run = Invocation("sql", stores.path("a"), sql, terminal: true)
      #expect(run.status == .done)
      #expect(run.output == " n  t\n10  a\\x1b\n 2  NULL\nh\\n\nz\n")
    }
  }

  @Test func `the script comes from the line, a file, or standard input`() throws {
    try withStores { stores in
      try stores.write("SELECT 'file'", to: "script.sql")
      let store = stores.path("a")
      let file = stores.directory + "/script.sql"
      #expect(Invocation("sql", store, "SELECT 'line'", input: "nonsense").output == "line\n")
      #expect(Invocation("sql", store, "--file", file, input: "nonsense").output == "file\n")
      #expect(Invocation("sql", store, "--file", "-", input: "SELECT 'in'").output == "in\n")
      #expect(Invocation("sql", store, input: "SELECT 'in'").output == "in\n")
      #expect(Invocation("sql", store, "--", "-- a comment").status == .done)
      let missing = Invocation("sql", store, "--file", file + "x")
      #expect(missing.status == .failed)
      #expect(missing.errors.hasPrefix("tributary: open \(file)x: No such file or directory; "))
    }
  }

  @Test(arguments: ["", " ", ";", "-- nothing", "/* nothing */ ;;"])
  func `an empty script does nothing`(script: String) throws {
    try withStores { stores in
      let before = Invocation("status", stores.path("a"), "--json").output
      for run in [
        Invocation("sql", stores.path("a"), "--", script),
        Invocation("sql", stores.path("a"), input: script),
      ] {
        #expect(run.status == .done)
        #expect(run.output.isEmpty && run.errors.isEmpty)
      }
      #expect(Invocation("status", stores.path("a"), "--json").output == before)
    }
  }

  @Test func `bytes that are no text are refused, not repaired`() throws {
    try withStores { stores in
      for bytes in [Data([0x27, 0xFF, 0x27]), Data("SELECT 1;\u{0} SELECT 2".utf8)] {
        try bytes.write(to: URL(filePath: stores.directory + "/script.sql"))
        let run = Invocation("sql", stores.path("a"), "--file", stores.directory + "/script.sql")
        #expect(run.status == .failed)
        #expect(run.errors.contains("/script.sql: the SQL "))
      }
    }
  }

  @Test func `parameters are bound in order`() throws {
    try withStores { stores in
      #expect(
        stores.sql(
          "a", "SELECT ?, ?, typeof(?3), ?4 IS NULL; SELECT ?", "--param", "-1", "--param=a b",
          "--param", "x'00'", "--param", "NULL", "--param", "unused") == "-1\ta b\tblob\t1\n-1\n")
      let few = Invocation("sql", stores.path("a"), "SELECT ?, ?", "--param", "1")
      #expect(few.status == .failed)
      #expect(few.errors.contains("2 parameters wanted, 1 given"))
    }
  }

  @Test func `a script is one transaction, and a failure leaves nothing`() throws {
    try withStores { stores in
      let run = Invocation(
        "sql", stores.path("a"), "INSERT INTO tracks VALUES (1, 'x', 1, NULL); SELECT 'seen'; oops")
      #expect(run.status == .failed)
      #expect(run.output == "seen\n")
      #expect(run.errors.hasPrefix("tributary: \(stores.path("a")): "))
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
      #expect(stores.sql("a", "SELECT count(*) FROM tracks") == "0\n")
    }
  }

  @Test func `an error with several lines of SQL is still one line`() throws {
    try withStores { stores in
      let run = Invocation("sql", stores.path("a"), "SELECT\n\u{1B}nope\nFROM nothing")
      #expect(run.status == .failed)
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
      #expect(!run.errors.contains("\u{1B}"))
    }
  }

  @Test func `a write can be based on the version that status shows`() throws {
    try withStores { stores in
      func version() throws -> String {
        let line = Invocation("status", stores.path("a"), "--json").output
        return try #require(line.firstMatch(of: /"version":"([0-9a-f.-]+)"/)).1.description
      }
      let before = try version()
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1, NULL)")
      stores.sql("a", "UPDATE tracks SET title = 'two'", "--based-on", before)
      stores.sql("a", "UPDATE tracks SET title = 'three'", "--based-on", try version())
      #expect(
        stores.sql("a", "SELECT sequence FROM tributary_outbox WHERE basis IS NOT NULL") == "2\n")
      let other = Invocation(
        "sql", stores.path("b"), "DELETE FROM tracks", "--based-on", before)
      #expect(other.status == .failed)
      #expect(other.errors.contains("the version belongs to another store"))
    }
  }

  @Test func `an error in a long script shows only where it is`() throws {
    try withStores { stores in
      let rest = String(repeating: "INSERT INTO pairs VALUES (1, 1, 1);\n", count: 10_000)
      try stores.write("SELECT * FROM nowhere;\n" + rest, to: "long.sql")
      let run = Invocation("sql", stores.path("a"), "--file", stores.directory + "/long.sql")
      #expect(run.status == .failed && run.errors.contains("nowhere"))
      #expect(run.errors.utf8.count < 1000)
    }
  }

  @Test(arguments: [
    ("COMMIT", "COMMIT without BEGIN before it"), (" ROLLBACK", "ROLLBACK without BEGIN before it"),
    ("INSERT INTO pairs VALUES ('x', 1, 'v');\n COMMIT", "COMMIT without BEGIN before it"),
    ("BEGIN; BEGIN; COMMIT", "BEGIN inside a transaction"),
  ])
  func `a transaction that a script has not begun is not its own to end`(
    script: String, problem: String
  ) throws {
    try withStores { stores in
      let run = Invocation("sql", stores.path("a"), script)
      #expect(run.status == .failed)
      #expect(
        run.errors.contains(": \(problem); leave it out: the whole script is one transaction"))
      #expect(stores.sql("a", "SELECT count(*) FROM pairs") == "0\n")
    }
  }
}
