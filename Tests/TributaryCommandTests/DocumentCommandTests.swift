import Foundation
import Testing
import TributaryTesting

struct DocumentCommandTests {
  /// Two devices that share a directory of containers.
  private struct Ground {
    let directory: String

    func run(
      _ device: String, _ words: String...
    ) throws -> (status: Int32, output: String, errors: String) {
      let run = try CommandProcess(
        words,
        environment: [
          "TRIBUTARY_CONTAINERS": directory + "/shared", "TRIBUTARY_DATA": "\(directory)/\(device)",
        ]
      ).finish()
      return (run.status, run.rest, run.errors)
    }

    /// Runs a command that must work, and returns its output.
    @discardableResult
    func expect(_ device: String, _ words: String...) throws -> String {
      let run = try CommandProcess(
        words,
        environment: [
          "TRIBUTARY_CONTAINERS": directory + "/shared", "TRIBUTARY_DATA": "\(directory)/\(device)",
        ]
      ).finish()
      try #require(run.status == 0, "\(words): \(run.errors)")
      return run.rest
    }

    var documents: String { directory + "/shared/iCloud~com~example~Notes/Documents" }
  }

  private func withGround(_ body: (Ground) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let ground = Ground(directory: directory)
      try ground.expect("a", "container", "url", "iCloud.com.example.Notes")
      try Data("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)".utf8)
        .write(to: URL(filePath: directory + "/schema.sql"))
      try body(ground)
    }
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test func `every command that takes a STORE takes a document`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql",
        "--attribute", "color=red")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('from a')")
      try ground.expect("a", "sync", path)
      // The other device has nothing of it yet.
      #expect(try ground.expect("b", "sql", path, "SELECT text FROM note") == "from a\n")
      try ground.expect("b", "sql", path, "INSERT INTO note (text) VALUES ('from b')")
      try ground.expect("b", "sync", path)
      try ground.expect("a", "sync", path)
      let digests = try ["a", "b"].map { try ground.expect($0, "digest", path) }
      #expect(digests[0] == digests[1])
      for words in [
        ["status"], ["verify"], ["doctor"], ["schema"], ["baseline"], ["rebuild"],
        ["conflicts", "list"], ["peers", "list"],
      ] {
        let run = try CommandProcess(
          words + [path],
          environment: [
            "TRIBUTARY_CONTAINERS": ground.directory + "/shared",
            "TRIBUTARY_DATA": ground.directory + "/b",
          ]
        ).finish()
        #expect(run.status == 0, "\(words): \(run.errors)")
      }
      #expect(try ground.run("a", "doctor", ground.documents + "/..").status == 0)
      let list = try ground.expect("a", "document", "list", "--json")
      try JSONSchema(named: "document").check(#require(lines(list).first))
      #expect(list.contains(#""attributes":{"color":"red"}"#))
      let open = try ground.expect("c", "document", "open", path, "--json")
      try JSONSchema(named: "document-open").check(#require(lines(open).first))
      #expect(open.contains(#""rebuilt":true"#))
      #expect(try ground.expect("c", "document", "open", path, "--json").contains("false"))
    }
  }

  @Test func `documents are moved, duplicated and deleted for all devices`() throws {
    try withGround { ground in
      let local = ground.directory + "/Draft.note"
      let (trip, journey) = (ground.documents + "/Trip.note", ground.documents + "/Journey.note")
      try ground.expect(
        "a", "document", "create", local, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "sql", local, "INSERT INTO note (text) VALUES ('x')")
      try ground.expect("a", "document", "move", local, trip)
      #expect(try ground.expect("b", "sql", trip, "SELECT text FROM note") == "x\n")
      try ground.expect("b", "document", "move", trip, journey)
      try ground.expect("b", "document", "duplicate", journey, trip)
      #expect(lines(try ground.expect("a", "document", "list", "--json")).count == 2)
      try ground.expect("a", "document", "delete", journey)
      let rest = try ground.expect("b", "document", "list", ground.documents, "--json")
      #expect(lines(rest).count == 1)
      #expect(rest.contains("Trip.note"))
      let gone = try ground.run("b", "document", "open", journey)
      #expect(gone.status == 1)
      #expect(lines(gone.errors).count == 1)
      #expect(try ground.run("b", "document", "delete", journey).status == 1)
      #expect(try ground.run("b", "document", "create", trip).status == 1)
      #expect(try ground.run("b", "document", "create", trip, "--attribute", "x").status == 2)
    }
  }

  @Test func `programs write the store of a document, and its contents come from any database`()
    throws
  {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      let database = ground.directory + "/plain.db"
      func sqlite(_ path: String, _ sql: String) throws {
        let code = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
        let run = try Shell("python3 -c \"$0\" \"$1\" \"$2\"", code, path, sql).finish()
        try #require(run.status == 0)
      }
      try sqlite(database, "CREATE TABLE t (a TEXT PRIMARY KEY); INSERT INTO t VALUES ('1');")
      try ground.expect("a", "document", "create", path, "--from", database)
      let store = try #require(lines(try ground.expect("a", "document", "open", path)).first)
      try sqlite(store, "INSERT INTO t VALUES ('2');")
      try ground.expect("a", "sync", path)
      #expect(try ground.expect("b", "sql", path, "SELECT a FROM t ORDER BY a") == "1\n2\n")
    }
  }

  @Test func `a store that cannot be found does not keep sync from the others`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('x')")
      let broken = ground.documents + "/Broken"
      try FileManager.default.createDirectory(
        atPath: broken, withIntermediateDirectories: false)
      try Data("x".utf8).write(to: URL(filePath: broken + "/DocumentMetadata.plist"))
      let run = try ground.run("a", "sync", broken, path)
      #expect(run.status == 1)
      #expect(run.errors.contains("Broken"))
      #expect(run.output.contains("published 1 transaction"))
    }
  }

  @Test func `a container takes the stores of its documents with it`() throws {
    try withGround { ground in
      try ground.expect(
        "a", "document", "create", ground.documents + "/Trip.note", "--schema",
        ground.directory + "/schema.sql")
      try ground.expect("a", "container", "delete", "iCloud.com.example.Notes", "--yes")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: ground.directory + "/a/documents")
          .isEmpty)
      #expect(try ground.expect("a", "document", "list").isEmpty)
    }
  }
}
