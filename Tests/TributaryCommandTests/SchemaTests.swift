import Foundation
import Testing
import TributaryCommand
import TributaryTesting

struct SchemaTests {
  private static let first = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT);"
  private static let second = "ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'none';"
  private static let third = "CREATE TABLE u (k INTEGER PRIMARY KEY);"

  /// A container, and directories of migrations from the first to each.
  private struct Place {
    let directory: String

    init(_ directory: String) throws {
      self.directory = directory
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let all = [SchemaTests.first, SchemaTests.second, SchemaTests.third]
      for count in 1...all.count {
        let place = "\(directory)/schema\(count)"
        try FileManager.default.createDirectory(
          atPath: place, withIntermediateDirectories: true)
        for (number, sql) in all.prefix(count).enumerated() {
          try sql.write(
            toFile: "\(place)/\(number + 1).sql", atomically: true, encoding: .utf8)
        }
      }
    }

    func path(_ name: String) -> String { "\(directory)/\(name).db" }

    @discardableResult
    func attach(_ name: String, migrations: Int? = nil, _ more: String...) -> Invocation {
      var words = [
        "attach", path(name), "--container", directory + "/shared", "--name", "N", "--peer-name",
        name.uppercased(),
      ]
      if let migrations { words += ["--schema", "\(directory)/schema\(migrations)"] }
      return Invocation(words: words + more)
    }

    func sync(_ names: String...) { for name in names { _ = Invocation("sync", path(name)) } }

    func sql(_ name: String, _ sql: String) {
      #expect(Invocation("sql", path(name), sql).status == .done)
    }
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func withPlace(_ body: (Place) throws -> Void) throws {
    try withTemporaryDirectory { try body(Place($0)) }
  }

  @Test func `schema says where each migration has run, and what waits for which`() throws {
    try withPlace { place in
      place.attach("a", migrations: 3)
      place.attach("b", migrations: 1)
      place.attach("c", migrations: 2)
      place.sync("a", "b", "c")
      place.sql("a", "INSERT INTO u VALUES (1)")
      place.sync("a", "b")
      let run = Invocation("schema", place.path("b"), "--json")
      #expect(run.status == .done)
      #expect(run.lines.count == 5)
      for line in run.lines { try JSONSchema(named: "schema").check(line) }
      let steps = try run.lines.prefix(3).map(object)
      #expect(steps.map { $0["migration"] as? String } == ["1", "2", "3"])
      #expect(steps.map { $0["position"] as? Int } == [1, 2, 3])
      #expect(steps.map { $0["here"] as? Bool } == [true, false, false])
      #expect(steps.map { ($0["peers"] as? [String])?.count } == [2, 2, 1])
      // Only the last one has the table.
      #expect(steps.map { ($0["waiting"] as? [Any])?.count } == [0, 0, 1])
      let devices = try run.lines.suffix(2).map(object)
      #expect(Set(devices.compactMap { $0["name"] as? String }) == ["A", "C"])
      for device in devices {
        let found = try #require(device["differences"] as? [[String: Any]])
        #expect(found.contains { $0["text"] as? String == "column w of table t is only there" })
        #expect(found.allSatisfy { $0["additive"] as? Bool == true })
      }
      let text = Invocation("schema", place.path("b"))
      #expect(text.status == .done)
      #expect(text.lines[0].hasPrefix("POSITION"))
      #expect(text.lines[2].hasPrefix("       2  2") && text.lines[2].contains(" no "))
      #expect(text.output.contains("A ("))
      #expect(text.output.contains("has another schema:\n  column w of table t is only there"))
      #expect(text.output.contains("does not exist here"))
    }
  }

  @Test func `schema lists what waits without a migration that is known`() throws {
    try withPlace { place in
      place.attach("a", migrations: 1)
      place.attach("b", migrations: 1)
      place.sync("a", "b")
      place.sql("a", "CREATE TABLE more (k INTEGER PRIMARY KEY)")
      place.sql("a", "INSERT INTO more VALUES (1)")
      place.sync("a", "b")
      let run = Invocation("schema", place.path("b"), "--json")
      #expect(run.lines.count == 3)
      for line in run.lines { try JSONSchema(named: "schema").check(line) }
      let unknown = try object(run.lines[1])
      #expect(unknown["migration"] is NSNull)
      #expect((unknown["waiting"] as? [[String: Any]])?.first?["sequence"] as? Int == 1)
      #expect(Invocation("schema", place.path("b")).output.contains("(unknown)"))
    }
  }

  @Test func `schema of a store alone says that there is nothing`() throws {
    try withPlace { place in
      place.attach("a")
      let run = Invocation("schema", place.path("a"))
      #expect(run.status == .done)
      #expect(run.lines.count == 1)
      #expect(Invocation("schema", place.path("a"), "--json").output.isEmpty)
      #expect(Invocation("schema").status == .usage)
      #expect(Invocation("schema", place.directory + "/none.db").status == .failed)
    }
  }

  @Test func `a store follows unless a schema is given, and options change that`() throws {
    try withPlace { place throws in
      func follows(_ words: [String]) throws -> Bool? {
        let run = Invocation(words: words + ["--json"])
        #expect(run.status == .done, "\(run.errors)")
        let name = words[0] == "attach" ? "attach" : "status"
        try JSONSchema(named: name).check(run.lines[0])
        return try object(run.lines[0])["followsSchema"] as? Bool
      }
      func attach(_ name: String, _ more: String...) -> [String] {
        [
          "attach", place.path(name), "--container", place.directory + "/shared", "--name", "N",
        ] + more
      }
      let schema = ["--schema", place.directory + "/schema1"]
      #expect(try follows(attach("a") + schema + ["--dry-run"]) == false)
      #expect(try follows(attach("a") + schema) == false)
      #expect(try follows(attach("b", "--dry-run")) == true)
      #expect(try follows(attach("b")) == true)
      #expect(try follows(["status", place.path("b")]) == true)
      #expect(Invocation("status", place.path("b")).output.contains(", follows those of others"))
      #expect(try follows(attach("c", "--no-follow-schema")) == false)
      #expect(try follows(attach("d", "--follow-schema") + schema) == true)
      // Of a store that is attached, only what is given changes anything.
      #expect(try follows(attach("a")) == false)
      #expect(try follows(attach("a", "--follow-schema", "--dry-run")) == true)
      #expect(try follows(["status", place.path("a")]) == false)
      #expect(try follows(attach("a", "--follow-schema")) == true)
      #expect(try follows(["status", place.path("a")]) == true)
      #expect(try follows(attach("a", "--no-follow-schema")) == false)
      #expect(
        Invocation(words: attach("a", "--follow-schema", "--no-follow-schema")).status == .usage)
    }
  }

  @Test func `sync says what it has taken from the schemas of others`() throws {
    try withPlace { place in
      place.attach("a", migrations: 1)
      place.sync("a")
      place.attach("b")
      place.attach("c")
      place.sync("b", "c")
      place.attach("a", migrations: 3)
      place.sql("a", "INSERT INTO t (k, w) VALUES (1, 'x')")
      place.sync("a")
      let status = Invocation("status", place.path("b"))
      #expect(status.output.contains("comes with the schema of"))
      let text = Invocation("sync", place.path("b"))
      #expect(text.status == .done)
      #expect(text.output.contains("the schema here follows that of"))
      #expect(text.output.contains("table u, column w of table t"))
      let json = Invocation("sync", place.path("c"), "--json")
      try JSONSchema(named: "sync").check(json.lines[0])
      let followed = try #require(try object(json.lines[0])["followed"] as? [[String: Any]])
      #expect(followed.first?["made"] as? [String] == ["table u", "column w of table t"])
      #expect(
        Invocation("sql", place.path("c"), "SELECT k, w FROM t", "--csv").output.contains("1,x"))
    }
  }
}
