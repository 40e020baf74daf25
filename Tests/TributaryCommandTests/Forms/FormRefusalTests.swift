import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// What no log can carry is refused by name, with the reason and what to do, and nothing is attached.
struct FormRefusalTests {
  /// Makes a database with a script, which need not be UTF-8, and attaches it.
  private func attach(
    _ script: [UInt8], _ more: String..., body: (Invocation, StoreFixture) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try RawScript.run(script, at: stores.path("a"))
      let run = Invocation(
        words: ["attach", stores.path("a"), "--container", stores.container, "--name", "L"] + more)
      try body(run, stores)
    }
  }

  private func expectRefusal(_ script: [UInt8], _ parts: String...) throws {
    try attach(script) { run, stores in
      #expect(run.status == .failed)
      for part in parts { #expect(run.errors.contains(part), "\(run.errors)") }
      #expect(run.errors.contains(stores.path("a")), "\(run.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: stores.container)
      #expect(left.isEmpty)
    }
  }

  @Test func `a column whose name is not UTF-8`() throws {
    try expectRefusal(
      Array("CREATE TABLE t (k INTEGER PRIMARY KEY, \"a".utf8) + [0xFF]
        + Array("\"); INSERT INTO t VALUES (1, 2)".utf8),
      "table t is declared by a statement that is not UTF-8", "make it again", "--except")
  }

  @Test func `a table whose name is not UTF-8`() throws {
    let name = Array("\"a".utf8) + [0xFF] + Array("\"".utf8)
    try expectRefusal(
      Array("CREATE TABLE ".utf8) + name + Array(" (k INTEGER PRIMARY KEY); INSERT INTO ".utf8)
        + name
        + Array(" VALUES (1)".utf8), "is declared by a statement that is not UTF-8", "make it again"
    )
  }

  @Test func `a default that is not UTF-8`() throws {
    try expectRefusal(
      Array("CREATE TABLE t (k INTEGER PRIMARY KEY, a DEFAULT '".utf8) + [0xFF] + Array("')".utf8),
      "table t is declared by a statement that is not UTF-8", "make it again")
  }

  @Test func `such a table can be left out`() throws {
    let script =
      Array(
        "CREATE TABLE u (k INTEGER PRIMARY KEY); CREATE TABLE t (k INTEGER PRIMARY KEY, \"a".utf8)
      + [0xFF]
      + Array("\")".utf8)
    try attach(script, "--except", "t") { run, _ in
      #expect(run.status == .done, "\(run.errors)")
    }
  }

  @Test(arguments: ["t", "column"])
  func `a name that is longer than logs can say`(place: String) throws {
    let long = String(repeating: "n", count: 4097)
    try expectRefusal(
      Array(
        (place == "t"
          ? "CREATE TABLE \(long) (k INTEGER PRIMARY KEY)"
          : "CREATE TABLE t (k INTEGER PRIMARY KEY, \(long))").utf8),
      place == "t" ? "table nnnn" : "table t has a name of 4097 bytes in its column nnnn",
      "4097 bytes",
      "4096 are the most", "shorter name")
    try attach(Array("CREATE TABLE \(String(long.dropLast())) (k INTEGER PRIMARY KEY)".utf8)) {
      run, _ in
      #expect(run.status == .done, "\(run.errors)")
    }
  }

  @Test(arguments: [
    "TABLE Tributary_mine (k INTEGER PRIMARY KEY)", "TABLE tributary_peer (a)",
    "VIEW tributary_v AS SELECT 1",
  ])
  func `names of the bookkeeping`(statement: String) throws {
    let name = String(statement.split(separator: " ")[1])
    try expectRefusal(
      Array("CREATE TABLE t (k INTEGER PRIMARY KEY); CREATE \(statement)".utf8),
      "\(name) has a name that begins with tributary_", "give it another name")
  }
}
