import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryTesting

struct LogShowTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// `peer:sequence` of each line of JSON.
  private func shown(_ words: String...) throws -> [String] { try shown(words) }

  private func shown(_ words: [String]) throws -> [String] {
    let run = Invocation(words: ["log", "show", "--json"] + words)
    #expect(run.status == .done, "\(run.errors)")
    return try names(run)
  }

  private func names(_ run: Invocation) throws -> [String] {
    try run.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let peer = try #require(object?["peer"] as? String)
      return "\(peer.prefix(1))\(try #require(object?["sequence"] as? Int))"
    }
  }

  @Test func `JSON has every kind of change and value`() throws {
    try withLogs { logs in
      try logs.write([
        Transaction(
          1, at: 0, .insert(1, "ü\n", 1.0), .insert(2, .text([0xFF]), .real(-.infinity)),
          .insert("a", .blob([0, 255]), .null, into: LogFixture.pairs)),
        Transaction(
          2, counter: 3, knows: [bob: 4], basis: [alice: 1, bob: 2], .update(1, nil, 2.5),
          .update("a", nil, "b", of: LogFixture.pairs), .delete(2),
          .delete(.null, "a", from: LogFixture.pairs)),
      ])
      let run = Invocation("log", "show", logs.container, "--json")
      #expect(run.status == .done)
      #expect(
        run.output == """
          {"peer":"\(alice)","sequence":1,"stamp":{"milliseconds":0,"counter":0},\
          "time":"1970-01-01T00:00:00.000Z","knowledge":{},"schema":"music","changes":[\
          {"table":"tracks","op":"insert","key":1,"values":{"id":1,"title":"ü\\n","length":1.0}},\
          {"table":"tracks","op":"insert","key":2,\
          "values":{"id":2,"title":{"text":"ff"},"length":{"real":"-inf"}}},\
          {"table":"pairs","op":"insert","key":[null,"a"],\
          "values":{"a":"a","v":{"blob":"00ff"},"b":null}}]}
          {"peer":"\(alice)","sequence":2,"stamp":{"milliseconds":1700000002000,"counter":3},\
          "time":"2023-11-14T22:13:22.000Z","knowledge":{"\(bob)":4},\
          "basis":{"\(alice)":1,"\(bob)":2},"schema":"music","changes":[\
          {"table":"tracks","op":"update","key":1,"values":{"length":2.5}},\
          {"table":"pairs","op":"update","key":["b","a"],"values":{}},\
          {"table":"tracks","op":"delete","key":2,"values":{}},\
          {"table":"pairs","op":"delete","key":[null,"a"],"values":{}}]}

          """)
      let schema = try JSONSchema(named: "log-show")
      for line in run.lines { try schema.check(line) }
    }
  }

  @Test func `text is for people`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: alice, name: "Laptop\u{1B}")
      try logs.write([
        Transaction(1, counter: 2, knows: [bob: 4], .insert(1, "it's\u{1B}", .null), .delete(2))
      ])
      #expect(
        Invocation("log", "show", logs.container).output == """
          \(alice):1  2023-11-14T22:13:21.000Z +2  Laptop\\x1b
            knows \(bob):4
            insert tracks 1 id=1 title='it''s\\x1b' length=NULL
            delete tracks 2

          """)
    }
  }

  @Test func `colours are for terminals that may show them`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      let plain = Invocation("log", "show", logs.container, terminal: true)
      let coloured = Invocation("log", "show", logs.container, terminal: true, colours: true)
      #expect(!plain.output.contains("\u{1B}"))
      #expect(coloured.output.contains("\u{1B}[32minsert\u{1B}[0m"))
      #expect(!Invocation("log", "show", logs.container, colours: true).output.contains("\u{1B}"))
    }
  }

  @Test func `peers are merged by their stamps, each in sequence`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 10), Transaction(2, at: 30)])
      try logs.write([Transaction(3, at: 50)])
      try logs.write([Transaction(1, at: 20)], by: bob)
      try logs.write([Transaction(2, at: 30), Transaction(3, at: 40)], by: bob)
      #expect(try shown(logs.container) == ["a1", "b1", "a2", "b2", "b3", "a3"])
    }
  }

  @Test func `each filter leaves out what it says`() throws {
    try withLogs { logs in
      for sequence: UInt64 in 1...4 { try logs.write([Transaction(sequence)]) }
      try logs.write(
        [Transaction(1, at: 1_700_000_002_500, .delete("a", "b", from: LogFixture.pairs))], by: bob)
      let path = logs.container
      #expect(try shown(path) == ["a1", "a2", "b1", "a3", "a4"])
      #expect(try shown(path, "--peer", "b0b") == ["b1"])
      #expect(try shown(path, "--peer", bob.description.uppercased()) == ["b1"])
      #expect(try shown(path, "--peer", "c").isEmpty)
      #expect(try shown(path, "--peer", "a", "--peer", "b").count == 5)
      #expect(try shown(path, "--table", "PAIRS") == ["b1"])
      #expect(try shown(path, "--table", "nope").isEmpty)
      #expect(try shown(path, "--from", "3") == ["a3", "a4"])
      #expect(try shown(path, "--to", "1") == ["a1", "b1"])
      #expect(try shown(path, "--from", "2", "--to", "3", "--peer", "a") == ["a2", "a3"])
      #expect(try shown(path, "--since", "1700000003000") == ["a3", "a4"])
      #expect(try shown(path, "--since", "2023-11-14T22:13:22.5Z") == ["b1", "a3", "a4"])
      #expect(try shown(path, "--until", "2023-11-14T23:13:22+01:00") == ["a1", "a2"])
    }
  }

  @Test func `with a table, only its changes are shown`() throws {
    try withLogs { logs in
      try logs.write([
        Transaction(1, .insert(1, "a", .null), .delete("x", "y", from: LogFixture.pairs)),
        Transaction(2, .delete(1)),
      ])
      let run = Invocation("log", "show", "--json", "--table", "pairs", logs.container)
      #expect(run.lines.count == 1)
      #expect(
        run.output.contains(
          #""changes":[{"table":"pairs","op":"delete","key":["x","y"],"values":{}}]}"#))
    }
  }

  @Test(arguments: [
    (["1"], ["a1", "a2"]), (["'ü x'"], ["a3"]), (["ü x"], ["a3"]), (["7"], ["a4"]),
    (["7.0"], ["a4"]), (["'7'"], []), (["(a, 'b')"], ["a5"]), (["(b, a)"], []),
    (["x'00'"], ["a6"]), (["1", "7"], ["a1", "a2", "a4"]), (["NULL"], []), (["null"], []),
  ])
  func `with a key, only changes of that row are shown`(keys: [String], expected: [String]) throws {
    try withLogs { logs in
      try logs.write([
        Transaction(1, .insert(1, "one", 1.0), .insert(2, "two", 2.0)),
        Transaction(2, .update(1, "uno", nil)),
        Transaction(3, .insert("ü x", "text", 0.5)),
        Transaction(4, .delete(7)),
        Transaction(5, .insert("b", 1, "a", into: LogFixture.pairs)),
        Transaction(6, .insert(.blob([0]), "blob", 0.5)),
      ])
      #expect(try shown([logs.container] + keys.flatMap { ["--key", $0] }) == expected)
      let run = Invocation("log", "show", logs.container, "--key", "2", "--json")
      #expect(!run.output.contains("one") && run.output.contains("two"))
    }
  }

  @Test func `overlapping segments show each transaction once, whatever their cut`() throws {
    try withSeeds(0..<40) { random in
      try withLogs { logs in
        let all = (1...20).map { Transaction($0) }
        try logs.write(all)
        for _ in 0..<random.number(0...6) {
          let first = random.number(0...19)
          try logs.write(Array(all[first...random.number(first...19)]))
        }
        let names = try shown(logs.container, logs.container)
        try #require(names == (1...20).map { "a\($0)" })
      }
    }
  }

  @Test func `both transactions of a fork are shown`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(2, at: 1_700_000_002_001), Transaction(3)])
      #expect(try shown(logs.container) == ["a1", "a2", "a2", "a3"])
    }
  }

  @Test func `of a damaged file all is shown up to the damage, in whole transactions`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let other = try logs.write([Transaction(1, at: 1_800_000_000_000)], by: bob)
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = Invocation("log", "show", "--json", path, other)
        #expect(run.status == .damage)
        #expect(run.errors.hasPrefix("tributary: \(path): "))
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
        let names = try names(run)
        #expect([["b1"], ["a1", "b1"], ["a1", "a2", "b1"]].contains(names))
      }
    }
  }

  @Test func `another copy stands in for a damaged one`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(1)])
      try logs.write([Transaction(2)])
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.dropLast(80).write(to: URL(filePath: path))
      let run = Invocation("log", "show", "--json", logs.container)
      #expect(run.status == .damage)
      #expect(try names(run) == ["a1", "a2"])
    }
  }
}
