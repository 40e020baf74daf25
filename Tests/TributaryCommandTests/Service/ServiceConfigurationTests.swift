import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// What may stand in the configuration of a service.
struct ServiceConfigurationTests {
  /// Reads a configuration by `serve --check`.
  private func check(_ text: String, in directory: String) throws -> Invocation {
    let path = directory + "/serve.json"
    try Data(text.utf8).write(to: URL(filePath: path))
    return Invocation("serve", "--config", path, "--check")
  }

  @Test func `stores are named by paths from the place of the file, by objects, and by patterns`()
    throws
  {
    try withStores { stores in
      try stores.write("no database", to: "notes.db")
      let text = """
        {
          "$schema": "https://example.com/service.schema.json",
          "interval": 2, "containerTimeout": 10, "onImport": "true", "log": "json",
          "metrics": "unix:metrics", "metricsInterval": 30,
          "stores": [
            "*.db",
            {"path": "later/absent.sqlite", "interval": 0.5, "onImport": "cat"},
            "\(stores.path("b"))"
          ]
        }
        """
      try JSONSchema(named: "service").check(text)
      let run = try check(text, in: stores.directory)
      #expect(run.status == .done, "\(run.errors)")
      #expect(
        run.lines == [
          stores.directory + "/later/absent.sqlite", stores.path("b"), stores.path("a"),
        ], "named ones come first, and once")
      #expect(
        run.errors == "tributary: \(stores.directory)/notes.db is not a store, and is skipped\n")
    }
  }

  @Test(arguments: [
    (#"{"stores": ["a.db"], "interval": 0}"#, "interval is 0.0; write seconds from 0.001 to 86400"),
    (#"{"stores": ["a.db"], "interval": "5"}"#, "interval is not a number; write seconds"),
    (#"{"stores": ["a.db"], "intervall": 5}"#, "intervall is not known; the keys here are "),
    (#"{"stores": [{"path": "a.db", "metrics": "x"}]}"#, "stores[0].metrics is not known; "),
    (#"{"stores": ["b.db", {"interval": 5}]}"#, "stores[1].path is missing; name the store"),
    (#"{"stores": ["a.db", "a.db"]}"#, "stores[1].path names the same store as stores[0]: "),
    (#"{"stores": ["a.db", "./a.db"]}"#, "stores[1].path names the same store as stores[0]: "),
    (#"{"stores": [""]}"#, "stores[0] is empty; name the store"),
    (#"{"stores": ["~other/a.db"]}"#, "stores[0] begins with '~': ~other/a.db; "),
    (#"{"stores": [7]}"#, "stores[0] is neither a path nor an object; "),
    (#"{"stores": "a.db"}"#, "stores is not an array; "),
    (#"{}"#, "stores is missing; "), (#"[]"#, "the configuration is not an object; "),
    (#"{"stores": [], "log": "xml"}"#, "log is 'xml'; write \"logfmt\" or \"json\""),
    (#"{"stores": [], "onImport": ""}"#, "onImport is empty; "),
    (#"{"stores": [], "metrics": 1}"#, "metrics is not a text; write it in quotes"),
    (
      #"{"stores": [], "page": "example.org:80"}"#,
      "page: 'example.org:80' is not an address for the page; "
    ),
    (#"{"stores": [], "page": "70000"}"#, "page: '70000' is not an address for the page; "),
    (#"{"stores": [], "page": 8080}"#, "page is not a text; write it in quotes"),
    (#"{"stores": [], "metrics": "unix:"}"#, "metrics lacks the path of the socket; write "),
    (#"{"stores": ["a.db\u0000x"]}"#, "stores[0] contains U+0000; leave that character out"),
    (#"{"stores": [], "onImport": "a\u0000b"}"#, "onImport contains U+0000; "),
    (#"{"stores": ["a.db", "hard.db"]}"#, "stores[1].path names the same store as stores[0]: "),
  ])
  func `what is wrong is refused by its key`(text: String, reason: String) throws {
    try withStores { stores in
      try FileManager.default.linkItem(
        atPath: stores.path("a"), toPath: stores.directory + "/hard.db")
      let run = try check(text, in: stores.directory)
      #expect(run.status == .failed)
      #expect(
        run.errors.hasPrefix("tributary: \(stores.directory)/serve.json: \(reason)"),
        "\(run.errors)")
      #expect(run.errors.filter { $0 == "\n" }.count == 1 && run.output.isEmpty)
    }
  }

  @Test(arguments: [
    ("{\n  \"stores\": [1,\n}", ":3:1: "), ("{\"stores\": [], \"stores\": []}", ":1:28: "),
    ("", ":1:1: "),
  ])
  func `what is no JSON is refused by its line and column`(text: String, place: String) throws {
    try withTemporaryDirectory { directory in
      let run = try check(text, in: directory)
      #expect(run.status == .failed)
      #expect(
        run.errors.hasPrefix("tributary: \(directory)/serve.json\(place)"), "\(run.errors)")
    }
  }

  @Test func `a file that is not there is named`() {
    let run = Invocation("serve", "--config", "/nowhere/serve.json")
    #expect(run.status == .failed && run.errors.contains("/nowhere/serve.json"))
  }

  @Test func `the configuration may be a symbolic link, from whose target paths begin`() throws {
    try withStores { stores in
      try stores.write(#"{"stores": ["a.db"]}"#, to: "real.json")
      let link = stores.directory + "/link/serve.json"
      try FileManager.default.createDirectory(
        atPath: stores.directory + "/link", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: "../real.json")
      let run = Invocation("serve", "--config", link, "--check")
      #expect(run.status == .done, "\(run.errors)")
      #expect(run.lines == [stores.path("a")])
    }
  }

  @Test func `what a pattern matches and cannot be read now is served, and is tried again`() throws
  {
    try withStores { stores in
      // What a store has published, it has a witness of.
      stores.sql("b", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("b")).status == .done)
      let file = try FileHandle(forWritingTo: URL(filePath: stores.path("b")))
      try file.write(contentsOf: Data("this is not a header.".utf8))
      try file.close()
      try FileManager.default.createSymbolicLink(
        atPath: stores.directory + "/far.db", withDestinationPath: "not-mounted/far.db")
      try FileManager.default.createDirectory(
        atPath: stores.directory + "/directory.db", withIntermediateDirectories: false)
      let run = try check(#"{"stores": ["*.db"]}"#, in: stores.directory)
      #expect(run.status == .done)
      #expect(run.lines == [stores.path("a"), stores.path("b"), stores.directory + "/far.db"])
      #expect(
        run.errors
          == "tributary: \(stores.directory)/directory.db is not a store, and is skipped\n")
    }
  }

  @Test(arguments: ["x[1]", "x?", "*", #"a\b"#])
  func `the directory of the configuration is no pattern`(name: String) throws {
    try withStores { stores in
      let directory = stores.directory + "/" + name
      for other in [directory, stores.directory + "/x1"] {
        try FileManager.default.createDirectory(
          atPath: other, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: stores.path("a"), toPath: other + "/s.db")
      }
      let run = try check(#"{"stores": ["*.db", "missing.sqlite"]}"#, in: directory)
      #expect(run.status == .done, "\(run.errors)")
      #expect(run.lines == [directory + "/missing.sqlite", directory + "/s.db"])
      #expect(run.errors.isEmpty)
    }
  }

  @Test func `a pattern that no store matches is said, and links among matches are passed over`()
    throws
  {
    try withStores { stores in
      try FileManager.default.createSymbolicLink(
        atPath: stores.directory + "/z.db", withDestinationPath: "a.db")
      let run = try check(
        #"{"stores": ["*.db", "[az].db", "none/*.db"]}"#, in: stores.directory)
      #expect(run.status == .done)
      #expect(run.lines == [stores.path("a"), stores.path("b")])
      #expect(
        run.errors == "tributary: \(stores.directory)/none/*.db matches no file; "
          + "check the pattern, or attach stores there and reload\n")
    }
  }
}
