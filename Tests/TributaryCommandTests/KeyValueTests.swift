import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

struct KeyValueTests {
  private struct Fixture {
    let directory: String

    func path(_ name: String) -> String { "\(directory)/\(name).db" }

    func kv(_ words: String...) -> Invocation { Invocation(words: ["kv"] + words) }

    func attach(_ name: String, _ more: String...) -> Invocation {
      Invocation(
        words: [
          "kv", "attach", path(name), "--container", directory + "/shared", "--id",
          "com.example.app",
        ] + more)
    }
  }

  private func withFixture(_ body: (Fixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      try body(Fixture(directory: directory))
    }
  }

  private static let values: [(type: String, text: String, shown: String, json: String)] = [
    ("string", "grün", "grün", #""grün""#), ("integer", "-5", "-5", "-5"),
    ("real", "2", "2.0", "2.0"), ("bool", "true", "true", "true"),
    ("date", "2026-11-26", "2026-11-26T00:00:00.000Z", #""2026-11-26T00:00:00.000Z""#),
    ("data", "00FF", "00ff", #"{"blob":"00ff"}"#),
    ("json", #"{"a": [1, {"b": true}]}"#, #"{"a":[1,{"b":true}]}"#, #"{"a":[1,{"b":true}]}"#),
  ]

  @Test func `each type of value is set, printed and exchanged`() throws {
    try withFixture { fixture in
      let made = fixture.attach("a")
      #expect(made.status == .done, "\(made.errors)")
      for value in Self.values {
        let set = fixture.kv(
          "set", fixture.path("a"), value.type, "--type", value.type, "--", value.text)
        #expect(set.status == .done, "\(set.errors)")
        #expect(set.output.isEmpty)
      }
      #expect(Invocation("sync", fixture.path("a")).status == .done)
      #expect(fixture.attach("b").status == .done)
      for value in Self.values {
        #expect(fixture.kv("get", fixture.path("b"), value.type).output == value.shown + "\n")
        let line = fixture.kv("get", fixture.path("b"), value.type, "--json").output
        try JSONSchema(named: "key-value").check(line)
        #expect(line.hasSuffix(#","value":\#(value.json)}"# + "\n"))
      }
      let list = fixture.kv("list", fixture.path("b"), "--json")
      #expect(list.lines.count == Self.values.count)
      for line in list.lines { try JSONSchema(named: "key-value").check(line) }
      #expect(fixture.kv("list", fixture.path("b")).lines.count == Self.values.count + 1)
    }
  }

  @Test func `a store that was detached says how to attach it, and is attached again`() throws {
    try withFixture { fixture in
      let store = fixture.path("a")
      #expect(fixture.kv("get", store, "k").errors.contains("run `tributary kv attach` to make it"))
      #expect(fixture.attach("a").status == .done)
      #expect(fixture.kv("set", store, "k", "1").status == .done)
      #expect(Invocation("sync", store).status == .done)
      #expect(Invocation("detach", store).status == .done)
      for command in [["get", store, "k"], ["set", store, "k", "2"], ["list", store]] {
        let refused = Invocation(words: ["kv"] + command)
        #expect(refused.status == .failed)
        #expect(refused.errors.contains("not attached to a container; run `tributary kv attach`\n"))
      }
      for command in ["sync", "status", "verify", "rebuild", "doctor"] {
        let refused = Invocation(command, store)
        #expect(refused.status != .done)
        #expect(
          (refused.output + refused.errors).contains("; run `tributary kv attach`\n"), "\(refused)")
      }
      let again = fixture.attach("a")
      #expect(again.status == .done, "\(again.errors)")
      #expect(fixture.kv("get", store, "k").output == "1\n")
      #expect(Invocation("verify", store).status == .done)
    }
  }

  @Test func `a database that is no key-value store says where one can be made`() throws {
    try withFixture { fixture in
      let database = fixture.path("other")
      let connection = try Connection(path: database, mode: .create)
      try connection.execute("CREATE TABLE t (a)")
      connection.close()
      for command in [["get", database, "k"], ["set", database, "k", "2"], ["list", database]] {
        let refused = Invocation(words: ["kv"] + command)
        #expect(refused.status == .failed)
        #expect(
          refused.errors.contains(
            "make a key-value store with `tributary kv attach`, at the path of a file"),
          "\(refused.errors)")
      }
      // Other commands take it for a database that becomes a store.
      #expect(Invocation("sync", database).errors.contains("; run `tributary attach`\n"))
    }
  }

  @Test func `a refused set exits with 1, says why, and changes nothing`() throws {
    try withFixture { fixture in
      #expect(fixture.attach("a", "--profile", "compact").status == .done)
      let store = fixture.path("a")
      #expect(fixture.kv("set", store, "k", "1").status == .done)
      let before = Invocation("digest", store).output
      let refused = fixture.kv("set", store, "k", String(repeating: "x", count: 4097))
      #expect(refused.status == .failed)
      #expect(refused.errors.contains("'k' has 4097 bytes"))
      #expect(refused.errors.contains("4096 in the profile compact"))
      #expect(Invocation("digest", store).output == before)
    }
  }

  @Test func `deleting what is not there is no failure, and getting it is one`() throws {
    try withFixture { fixture in
      #expect(fixture.attach("a").status == .done)
      let store = fixture.path("a")
      #expect(fixture.kv("set", store, "k", "1").status == .done)
      #expect(fixture.kv("delete", store, "k").status == .done)
      let again = fixture.kv("delete", store, "k")
      #expect(again.status == .done)
      #expect(again.errors.contains("no key 'k'"))
      let get = fixture.kv("get", store, "k")
      #expect(get.status == .failed)
      #expect(get.output.isEmpty && get.errors.contains("no key 'k'"))
    }
  }

  @Test func `what makes no sense is refused`() throws {
    try withFixture { fixture in
      #expect(fixture.attach("a").status == .done)
      let store = fixture.path("a")
      for (type, text) in [
        ("integer", "x"), ("real", "nan"), ("bool", "perhaps"), ("date", "yesterday"),
        ("data", "abc"),
        ("json", "null"), ("thing", "x"),
      ] {
        #expect(fixture.kv("set", store, "k", text, "--type", type).status == .usage, "\(type)")
      }
      #expect(fixture.attach("b", "--profile", "large").status == .usage)
      let other = fixture.attach("b", "--profile", "classic")
      #expect(other.status == .failed)
      #expect(other.errors.contains("with the profile standard, not classic"))
      try withStores { stores in
        let list = fixture.kv("list", stores.path("a"))
        #expect(list.status == .failed)
        #expect(list.errors.contains("not a key-value store"))
      }
    }
  }

  @Test func `the other commands take it as any store`() throws {
    try withFixture { fixture in
      #expect(fixture.attach("a").status == .done)
      #expect(fixture.attach("b").status == .done)
      let (a, b) = (fixture.path("a"), fixture.path("b"))
      #expect(fixture.kv("set", a, "k", "1").status == .done)
      #expect(fixture.kv("set", b, "k", "2").status == .done)
      #expect(fixture.kv("delete", b, "k").status == .done)
      #expect(
        Invocation("sql", a, "INSERT INTO key_value VALUES ('s', 'bool', 1, 0)").status == .done)
      for store in [a, b, a, b] { #expect(Invocation("sync", store).status == .done) }
      #expect(fixture.kv("get", b, "s").output == "true\n")
      #expect(Invocation("digest", a).output == Invocation("digest", b).output)
      for store in [a, b] {
        #expect(Invocation("verify", store).status == .done)
        #expect(Invocation("doctor", store).status == .done)
        #expect(Invocation("conflicts", "list", store, "--json", "--all").output.isEmpty)
      }
      #expect(Invocation("log", "show", fixture.directory + "/shared").output.contains("key='k'"))
    }
  }
}
