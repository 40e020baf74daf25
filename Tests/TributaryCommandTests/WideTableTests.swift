import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// Tables with as many columns as SQLite allows.
struct WideTableTests {
  /// Lends two stores, of which the first has made the tables.
  private func withWideStores(_ schema: String, _ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(schema, to: "schema.sql")
      for name in ["a", "b"] {
        let made = stores.attach(name, "--schema", directory + "/schema.sql")
        #expect(made.status == .done, "\(made.errors)")
      }
      try body(stores)
    }
  }

  private func expectDone(_ words: String...) -> String {
    let run = Invocation(words: words)
    #expect(run.status == .done, "\(words): \(run.errors.prefix(500))")
    return run.output
  }

  @Test(arguments: [1999, 2000])
  func `a table of so many columns goes all the way`(count: Int) throws {
    let columns = (2..<count).map { "c\($0)" }
    let schema =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, \(columns.joined(separator: ", ")))"
    try withWideStores(schema) { stores in
      let values = columns.map { _ in "7" }.joined(separator: ", ")
      stores.sql("a", "INSERT INTO t VALUES (1, 'one', \(values)), (2, 'two', \(values))")
      for name in ["a", "b", "a"] { _ = expectDone("sync", stores.path(name)) }
      // One cell twice, one number twice, one unique value twice.
      for (name, number) in [("a", 10), ("b", 20)] {
        stores.sql(
          name,
          """
          UPDATE t SET c2 = '\(name)', c\(count - 1) = '\(name)' WHERE id = 1;
          INSERT INTO t (id, u) VALUES (3, '\(name)'); INSERT INTO t (id, u) VALUES (\(number), 'both');
          DELETE FROM t WHERE id = 2
          """)
      }
      for name in ["a", "b", "a", "b"] {
        let run = Invocation("sync", stores.path(name))
        #expect(run.status == .done, "\(run.errors)")
      }
      for name in ["a", "b"] {
        #expect(expectDone("verify", stores.path(name)).contains("no difference"))
        #expect(expectDone("doctor", stores.path(name)).hasPrefix("Nothing found"))
        _ = expectDone("rebuild", stores.path(name))
        #expect(expectDone("verify", stores.path(name)).contains("no difference"))
      }
      #expect(expectDone("digest", stores.path("a")) == expectDone("digest", stores.path("b")))
      #expect(expectDone("conflicts", "list", stores.path("a")).contains("unique"))
      let out = stores.directory + "/replayed.db"
      for words in [
        ["show"], ["export"], ["blame"], ["diff", "--from", "1970-01-01T00:00:01Z"],
        ["diff", "--from", "0"], ["replay", "-o", out],
      ] {
        let run = Invocation(words: ["log", words[0], stores.container] + words.dropFirst())
        #expect(run.status == .done, "\(words): \(run.errors.prefix(500))")
      }
    }
  }

  /// A table whose key has so many columns, and a row for it.
  private func keyed(_ count: Int, isPrimary: Bool) -> (schema: String, row: String) {
    let names = (0..<count).map { "k\($0)" }
    let columns = names.map { $0 + " INTEGER NOT NULL" }.joined(separator: ", ")
    let key = names.joined(separator: ", ")
    let values = (0..<count).map { "\($0)" }.joined(separator: ", ")
    return isPrimary
      ? ("CREATE TABLE t (\(columns), v, PRIMARY KEY (\(key)))", "\(values), NULL")
      : ("CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns), UNIQUE (\(key)))", "1, \(values)")
  }

  @Test(arguments: [true, false])
  func `a key of more columns than SQLite compares is refused by name`(isPrimary: Bool) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(keyed(901, isPrimary: isPrimary).schema, to: "wide.sql")
      let refused = stores.attach("a", "--schema", directory + "/wide.sql")
      #expect(refused.status == .failed)
      #expect(refused.errors.contains("table t has a key of 901 columns"), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: stores.path("a")))
    }
    let (schema, row) = keyed(900, isPrimary: isPrimary)
    try withWideStores(schema) { stores in
      for name in ["a", "b"] { stores.sql(name, "INSERT INTO t VALUES (\(row))") }
      for name in ["a", "b", "a"] {
        let run = Invocation("sync", stores.path(name))
        #expect(run.status == .done, "\(run.errors.prefix(500))")
      }
      for name in ["a", "b"] {
        #expect(expectDone("verify", stores.path(name)).contains("no difference"))
      }
    }
  }
}
