import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// Names that SQLite holds for different, and others for one.
struct NamesTests {
  private static let names = ["Ä", "ä", "\u{E9}", "e\u{301}", "K", "\u{212A}", "ſ", "s"]

  private static func quoted(_ name: String) -> String { "\"\(name)\"" }

  private func withJoined(_ schema: String, _ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(schema, to: "schema.sql")
      let created = stores.attach("a", "--schema", directory + "/schema.sql", "--peer-name", "A")
      #expect(created.status == .done, "\(created.errors)")
      let joined = stores.attach("b", "--peer-name", "B")
      #expect(joined.status == .done, "\(joined.errors)")
      #expect(Invocation("sync", stores.path("b")).status == .done)
      try body(stores)
    }
  }

  /// Everything that reads logs or contents says the same of both stores.
  private func expectSame(_ stores: StoreFixture) {
    for name in ["a", "b", "a"] {
      let run = Invocation("sync", stores.path(name), "-q")
      #expect(run.status == .done, "\(run.errors)")
    }
    let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output.prefix(64) }
    #expect(digests[0] == digests[1])
    for name in ["a", "b"] {
      let run = Invocation("verify", stores.path(name))
      #expect(run.status == .done, "\(run.output)\(run.errors)")
    }
    let run = Invocation("rebuild", stores.path("b"))
    #expect(run.status == .done, "\(run.errors)")
    #expect(Invocation("digest", stores.path("b")).output.prefix(64) == digests[0])
    let third = stores.attach("c")
    #expect(third.status == .done, "\(third.errors)")
    #expect(Invocation("digest", stores.path("c")).output.prefix(64) == digests[0])
  }

  @Test func `tables whose names only Unicode takes for one are different`() throws {
    let names = Self.names
    let tables = names.map { "CREATE TABLE \(Self.quoted($0)) (k INTEGER PRIMARY KEY, v UNIQUE)" }
    try withJoined(tables.joined(separator: ";\n")) { stores in
      stores.sql(
        "a",
        names.map { "INSERT INTO \(Self.quoted($0)) VALUES (1, '\($0)'), (2, 'x')" }
          .joined(separator: ";"))
      expectSame(stores)
      // One row of each in one commit, through one connection, which knows the statements.
      stores.sql(
        "a",
        names.map { "UPDATE \(Self.quoted($0)) SET v = v || '\($0)' WHERE k = 1" }
          .joined(separator: ";"))
      stores.sql(
        "a", names.map { "DELETE FROM \(Self.quoted($0)) WHERE k = 2" }.joined(separator: ";"))
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(Invocation("sync", stores.path("b")).status == .done)
      for name in names {
        #expect(
          Array(stores.sql("b", "SELECT * FROM \(Self.quoted(name))").utf8)
            == Array("1\t\(name)\(name)\n".utf8))
        let shown = Invocation("log", "show", stores.container, "--json", "--table", name)
        let changes = shown.output.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(changes.count == 3, "\(name): \(shown.output)")
        let blame = Invocation("log", "blame", stores.container, "--json", "--table", name)
        #expect(blame.output.split(separator: "\n").count == 1, "\(name): \(blame.output)")
      }
    }
  }

  @Test func `both sides write rows of each, and they merge apart`() throws {
    let names = Self.names
    let tables = names.map { "CREATE TABLE \(Self.quoted($0)) (k INTEGER PRIMARY KEY, v UNIQUE)" }
    try withJoined(tables.joined(separator: ";\n")) { stores in
      for store in ["a", "b"] {
        stores.sql(
          store,
          names.map { "INSERT INTO \(Self.quoted($0)) VALUES (1, '\(store)'), (7, 'same')" }
            .joined(separator: ";"))
      }
      expectSame(stores)
      // Two rows that were given one number stay, under numbers that differ from table to table.
      let numbers = names.map { stores.sql("a", "SELECT min(k) FROM \(Self.quoted($0))") }
      #expect(Set(numbers).count == names.count)
      for name in names {
        #expect(stores.sql("a", "SELECT count(*) FROM \(Self.quoted(name))") == "3\n")
      }
    }
  }

  @Test func `columns whose names only Unicode takes for one are different`() throws {
    let names = Self.names
    let columns = names.map { "\(Self.quoted($0)) DEFAULT 0" }.joined(separator: ", ")
    try withJoined("CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns))") { stores in
      stores.sql("a", "INSERT INTO t (id) VALUES (1), (2)")
      expectSame(stores)
      let sets = names.enumerated().map { "\(Self.quoted($1)) = \($0 + 1)" }
      stores.sql("a", "UPDATE t SET \(sets.joined(separator: ", ")) WHERE id = 1")
      for (number, name) in names.enumerated() {
        stores.sql("b", "UPDATE t SET \(Self.quoted(name)) = \(-number) WHERE id = 2")
      }
      for store in ["a", "b", "a"] {
        #expect(Invocation("sync", stores.path(store)).status == .done)
      }
      for store in ["a", "b"] {
        #expect(
          stores.sql(store, "SELECT * FROM t") == """
            1\t1\t2\t3\t4\t5\t6\t7\t8
            2\t0\t-1\t-2\t-3\t-4\t-5\t-6\t-7

            """)
        #expect(Invocation("verify", stores.path(store)).status == .done)
      }
      for name in names {
        let blame = Invocation(
          "log", "blame", stores.container, "--json", "--key", "2", "--column", name)
        #expect(blame.output.contains("\"\(name)\""), "\(blame.output)")
        #expect(blame.output.components(separatedBy: "\"sequence\"").count == 2, "\(blame.output)")
      }
    }
  }

  @Test func `references and selections go by the same rule`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        """
        CREATE TABLE "Ä" (k INTEGER PRIMARY KEY);
        CREATE TABLE "ä" (k INTEGER PRIMARY KEY);
        CREATE TABLE Child (k INTEGER PRIMARY KEY, p REFERENCES "ä");
        """, to: "schema.sql")
      let run = stores.attach(
        "a", "--schema", directory + "/schema.sql", "--except", "Ä", "--merge", "CHILD=row")
      #expect(run.status == .done, "\(run.errors)")
      stores.sql(
        "a",
        "INSERT INTO \"Ä\" VALUES (1); INSERT INTO \"ä\" VALUES (2); INSERT INTO child VALUES (3, 2)"
      )
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let joined = stores.attach("b")
      #expect(joined.status == .done, "\(joined.errors)")
      #expect(stores.sql("b", "SELECT count(*) FROM \"Ä\"") == "0\n")
      #expect(stores.sql("b", "SELECT p FROM child") == "2\n")
      #expect(Invocation("verify", stores.path("b")).status == .done)
    }
  }

  @Test func `what the container cannot distinguish is not declared`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        "CREATE TABLE \"\u{E9}\" (k PRIMARY KEY); CREATE TABLE \"e\u{301}\" (k PRIMARY KEY)",
        to: "schema.sql")
      let schema = directory + "/schema.sql"
      let both = stores.attach(
        "a", "--schema", schema, "--merge", "\u{E9}=row", "--merge", "e\u{301}=row")
      #expect(both.status == .failed)
      #expect(both.errors.contains("cannot distinguish"), "\(both.errors)")
      let one = stores.attach("a", "--schema", schema, "--merge", "e\u{301}=row")
      #expect(one.status == .done, "\(one.errors)")
      #expect(stores.attach("b").status == .done)
    }
  }
}
