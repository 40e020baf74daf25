import Foundation
import Testing
import TributaryTesting

struct DocumentCommandTests {
  /// Two devices that share a directory of containers.
  struct Ground {
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

  func withGround(_ body: (Ground) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let ground = Ground(directory: directory)
      try ground.expect("a", "container", "url", "iCloud.com.example.Notes")
      try Data("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)".utf8)
        .write(to: URL(filePath: directory + "/schema.sql"))
      try body(ground)
    }
  }

  func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

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

  @Test func `a damaged store is named, found by doctor, and rebuilt by its package`() throws {
    try withGround { ground in
      let (path, other) = (ground.documents + "/Trip.note", ground.documents + "/Other.note")
      for document in [path, other] {
        try ground.expect(
          "a", "document", "create", document, "--schema", ground.directory + "/schema.sql")
      }
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('x')")
      try ground.expect("a", "sync", path)
      let store = try #require(lines(try ground.expect("a", "document", "open", path)).first)
      try Data(String(repeating: "damaged ", count: 2000).utf8).write(to: URL(filePath: store))
      let list = try ground.expect("a", "document", "list", "--json")
      #expect(
        lines(list).map { $0.contains(#""state":"damaged""#) } == [false, true], "\(list)")
      let use = try ground.run("a", "sql", path, "SELECT text FROM note")
      #expect(use.status == 1)
      #expect(use.errors.contains("tributary rebuild \(path)"), "\(use.errors)")
      let open = try ground.run("a", "document", "open", path)
      #expect(open.errors.contains("tributary rebuild \(path)"), "\(open.errors)")
      let doctor = try ground.run("a", "doctor", path)
      #expect(doctor.output.contains("tributary rebuild \(path)"), "\(doctor.output)")
      #expect(try ground.run("a", "doctor", path).status != 0)
      let rebuilt = try ground.run("a", "rebuild", path)
      #expect(rebuilt.status == 0, "\(rebuilt.errors)")
      #expect(rebuilt.errors.contains("store.sqlite-before-rebuilding"), "\(rebuilt.errors)")
      #expect(try ground.expect("a", "sql", path, "SELECT text FROM note") == "x\n")
      #expect(!(try ground.expect("a", "document", "list", "--json")).contains("damaged"))
    }
  }

  @Test func `a package that is damaged or gone is found, and opens again as it is told`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      let file = path + "/DocumentMetadata.plist"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('x')")
      try ground.expect("a", "sync", path)
      try Data("<?xml".utf8).write(to: URL(filePath: file))
      for place in [path, ground.documents + "/.."] {
        let run = try ground.run("a", "doctor", place)
        #expect(run.status == 3)
        #expect(run.output.contains("damage: \(file): it is damaged"), "\(run.output)")
      }
      try FileManager.default.removeItem(atPath: path)
      let list = try ground.run("a", "document", "list")
      #expect(list.status == 1)
      #expect(lines(list.errors).count == 1)
      let doctor = try ground.run("a", "doctor", ground.documents + "/..", "--json")
      #expect(doctor.status == 3)
      for line in lines(doctor.output) { try JSONSchema(named: "doctor").check(line) }
      #expect(doctor.output.contains(#""finding":"package-missing""#), "\(doctor.output)")
      let start = try #require(list.errors.firstRange(of: "`tributary ")).upperBound
      let words = list.errors[start...].prefix { $0 != "`" }.split(separator: " ").map(String.init)
      let again = try CommandProcess(
        words,
        environment: [
          "TRIBUTARY_CONTAINERS": ground.directory + "/shared",
          "TRIBUTARY_DATA": ground.directory + "/a",
        ]
      ).finish()
      #expect(again.status == 0, "\(words): \(again.errors)")
      #expect(try ground.expect("a", "sql", path, "SELECT text FROM note") == "x\n")
      #expect(try ground.run("a", "doctor", ground.documents + "/..").status == 0)
    }
  }

  @Test func `a document that was never opened here is noted by its logs, and fails no list`()
    throws
  {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('x')")
      try ground.expect("a", "sync", path)
      let list = try ground.expect("a", "document", "list", "--json")
      let name = try #require(list.firstMatch(of: /Trip-[0-9a-f]{16}/)).output
      try FileManager.default.removeItem(atPath: path)
      let command =
        "tributary document open \(ground.documents)/Trip --content-name \(name)"
      let noted = try ground.run("b", "document", "list")
      #expect(noted.status == 0)
      #expect(lines(noted.errors).count == 1)
      #expect(noted.errors.contains(command), "\(noted.errors)")
      let doctor = try ground.run("b", "doctor", ground.documents + "/..", "--json")
      #expect(doctor.status == 0)
      for line in lines(doctor.output) { try JSONSchema(named: "doctor").check(line) }
      #expect(doctor.output.contains(#""finding":"package-missing""#), "\(doctor.output)")
      try ground.expect("b", "document", "open", path, "--content-name", String(name))
      #expect(try ground.expect("b", "sql", path, "SELECT text FROM note") == "x\n")
    }
  }

  @Test func `a list says what it has removed and kept`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "sync", path)
      try ground.expect("b", "sql", path, "INSERT INTO note (text) VALUES ('only here')")
      try ground.expect("a", "document", "delete", path)
      let list = try ground.run("b", "document", "list")
      #expect(list.status == 0)
      #expect(lines(list.errors).count == 1)
      #expect(list.errors.contains("\(path): the document was deleted"), "\(list.errors)")
      #expect(list.errors.contains(ground.directory + "/b/removed/"), "\(list.errors)")
      #expect(try ground.run("b", "document", "list").errors.isEmpty)
    }
  }

  @Test func `a document is used by its package while its container is disabled or away`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      try ground.expect("a", "container", "disable", "iCloud.com.example.Notes")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('disabled')")
      let missing = try ground.run("a", "sql", ground.documents + "/Other.note", "SELECT 1")
      #expect(missing.status == 1)
      #expect(missing.errors.contains("container enable"), "\(missing.errors)")
      try ground.expect("a", "container", "enable", "iCloud.com.example.Notes")
      try FileManager.default.moveItem(
        atPath: ground.directory + "/shared", toPath: ground.directory + "/away")
      try ground.expect("a", "sql", path, "INSERT INTO note (text) VALUES ('away')")
      #expect(
        try ground.expect("a", "sql", path, "SELECT text FROM note ORDER BY id")
          == "disabled\naway\n")
      try FileManager.default.moveItem(
        atPath: ground.directory + "/away", toPath: ground.directory + "/shared")
      try ground.expect("a", "sync", path)
      try ground.expect("b", "document", "delete", path)
      let deleted = try ground.run("a", "sql", path, "SELECT 1")
      #expect(deleted.status == 1)
      #expect(deleted.errors.contains("was deleted"), "\(deleted.errors)")
    }
  }

  @Test func `documents and settings are those that the entitlements grant`() throws {
    try withGround { ground in
      let file = ground.directory + "/App.entitlements"
      try PropertyListSerialization.data(
        fromPropertyList: [
          "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.Other"],
          "com.apple.developer.ubiquity-kvstore-identifier": "iCloud.com.example.settings",
        ], format: .xml, options: 0
      ).write(to: URL(filePath: file))
      let path = ground.documents + "/Trip.note"
      let (settings, others) = (ground.directory + "/own.db", ground.directory + "/others.db")
      let container = ground.directory + "/kv"
      try FileManager.default.createDirectory(
        atPath: container, withIntermediateDirectories: false)
      func refused(_ words: [String], granted: Bool) throws {
        for usesVariable in [false, true] {
          var environment = [
            "TRIBUTARY_CONTAINERS": ground.directory + "/shared",
            "TRIBUTARY_DATA": ground.directory + "/a",
          ]
          if usesVariable { environment["TRIBUTARY_ENTITLEMENTS"] = file }
          let run = try CommandProcess(
            words + (usesVariable ? [] : ["--entitlements", file]), environment: environment
          ).finish()
          #expect(run.status == (granted ? 0 : 1), "\(words): \(run.errors)")
          #expect(run.errors.contains("is not granted") == !granted, "\(words): \(run.errors)")
        }
      }
      try refused(["document", "create", path], granted: false)
      try ground.expect("a", "document", "create", path)
      try refused(["document", "open", path], granted: false)
      try refused(["document", "delete", path], granted: false)
      let identifiers = [("iCloud.com.example.settings", settings), ("iCloud.other", others)]
      for (identifier, store) in identifiers {
        try ground.expect("a", "kv", "attach", store, "--container", container, "--id", identifier)
        let granted = store == settings
        try refused(
          ["kv", "attach", store, "--container", container, "--id", identifier], granted: granted)
        try refused(["kv", "set", store, "k", "v"], granted: granted)
        try refused(["kv", "list", store], granted: granted)
        try refused(["kv", "delete", store, "k"], granted: granted)
        try ground.expect("a", "kv", "set", store, "k", "v")
        try refused(["kv", "get", store, "k"], granted: granted)
      }
    }
  }

  @Test func `containers that are away are named, and what is there is listed`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      let listed = try ground.expect("a", "document", "list", "--json")
      let shared = ground.directory + "/shared"
      let manager = FileManager.default
      try manager.moveItem(atPath: shared, toPath: shared + "-away")
      // Gone, and an empty mount point.
      for isThere in [false, true] {
        if isThere {
          try manager.createDirectory(atPath: shared, withIntermediateDirectories: false)
        }
        for option in ["--json", "--quiet"] {
          let run = try ground.run("a", "document", "list", option)
          #expect(run.status == 1 && run.output.isEmpty)
          #expect(lines(run.errors).count == 1)
          #expect(
            run.errors.hasPrefix(
              "tributary: \(shared): the directory of containers is "
                + (isThere ? "empty" : "not there any more")), "\(run.errors)")
          #expect(run.errors.contains("; mount it, or run `tributary container enable"))
        }
      }
      try manager.removeItem(atPath: shared)
      try manager.moveItem(atPath: shared + "-away", toPath: shared)
      #expect(try ground.expect("a", "document", "list", "--json") == listed)
      // A container without an identifier is named on the command line.
      let none = try ground.run(
        "a", "document", "list", "--json", "--container", ground.directory + "/none")
      #expect(none.status == 1 && none.output == listed)
      #expect(none.errors.contains("/none: the container is not a directory; check the path"))
    }
  }
}
