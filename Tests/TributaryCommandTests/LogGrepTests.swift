import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryTesting

struct LogGrepTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  private func write(_ logs: LogFixture) throws {
    try logs.write([
      Transaction(1, .insert(1, "Love me do", 141.5), .insert(2, "Help!\0 me", .null)),
      Transaction(2, .update(1, "LOVE", nil), .delete(2)),
      Transaction(3, .insert(3, .blob([0, 0x4C, 0x6F, 0xFF]), .real(.infinity))),
    ])
    try logs.write(
      [
        Transaction(
          1, at: 1_700_000_002_500, .insert("a", .text([0xFF, 0x61]), "b", into: LogFixture.pairs),
          .insert(.null, 1.0, "Lo", into: LogFixture.pairs))
      ], by: bob)
  }

  /// `peer:sequence column,…` of each line of JSON.
  private func found(_ words: [String], _ logs: LogFixture) throws -> [String] {
    let run = Invocation(words: ["log", "grep", "--json"] + words + [logs.container])
    #expect(run.status == .done, "\(run.errors)")
    let schema = try JSONSchema(named: "log-grep")
    return try run.lines.map { line in
      try schema.check(line)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let peer = try #require(object?["peer"] as? String).prefix(1)
      let sequence = try #require(object?["sequence"] as? Int)
      let matched = try #require(object?["matched"] as? [String])
      return ([peer + String(sequence)] + matched).joined(separator: " ")
    }
  }

  @Test(arguments: [
    (["Lo"], ["a1 title", "b1 b", "a3 title"]),
    (["-i", "Lo"], ["a1 title", "a2 title", "b1 b", "a3 title"]),
    (["-F", "Lo"], ["a1 title", "b1 b", "a3 title"]),
    (["-Fi", "lo"], ["a1 title", "a2 title", "b1 b", "a3 title"]),
    (["^Lo"], ["a1 title", "b1 b"]), (["^Lo$"], ["b1 b"]),
    (["m(e|y)$"], ["a1 title"]), ([" me"], ["a1 title", "a1 title"]),
    (["!.*m"], []), (["![^a] me$"], ["a1 title"]), (["-F", "!"], ["a1 title"]),
    (["[[:digit:]]{3}"], ["a1 length"]), (["-F", "141.5"], ["a1 length"]),
    (["Inf"], ["a3 length"]), (["-F", "Inf"], ["a3 length"]),
    (["^2$"], ["a1 id", "a2 id"]), (["--value", "2"], ["a1 id", "a2 id"]),
    (["--value", "1"], ["a1 id", "a2 id", "b1 v"]), (["--value", "'1'"], []),
    (["--value", "love"], []), (["--value", "-i", "love"], ["a2 title"]),
    (["--value", "x'004c6fff'"], ["a3 title"]), (["--value", "NULL"], ["a1 length", "b1 a"]),
    (["NULL"], []), (["Lo", "--column", "TITLE"], ["a1 title", "a3 title"]),
    (["Lo", "--column", "b", "--column", "title"], ["a1 title", "b1 b", "a3 title"]),
    (["Lo", "--peer", "b"], ["b1 b"]), (["Lo", "--table", "tracks", "--key", "3"], ["a3 title"]),
    (["", "--table", "tracks", "--key", "2"], ["a1", "a2"]), (["-F", "", "--key", "3"], ["a3"]),
    (["", "--column", "length"], ["a1 length", "a1 length", "a3 length"]), (["zzz"], []),
  ])
  func `patterns find what they say`(words: [String], expected: [String]) throws {
    try withLogs { logs in
      try write(logs)
      #expect(try found(words, logs) == expected)
      let count = Invocation(words: ["log", "grep", "--count"] + words + [logs.container])
      #expect(count.output == "\(expected.count)\n")
    }
  }

  @Test func `JSON has the change with all its values`() throws {
    try withLogs { logs in
      try write(logs)
      #expect(
        Invocation("log", "grep", "LOVE", "--json", logs.container).output
          == #"{"peer":"\#(alice)","sequence":2,"stamp":{"milliseconds":1700000002000,"counter":0},"#
          + #""time":"2023-11-14T22:13:22.000Z","table":"tracks","op":"update","key":1,"#
          + #""values":{"title":"LOVE"},"matched":["title"]}"# + "\n")
      let count = Invocation("log", "grep", "L", "-c", "--json", logs.container)
      #expect(count.output == "{\"count\":4}\n")
      try JSONSchema(named: "log-grep").check(count.output)
    }
  }

  @Test func `text is a line with the columns that match, cut around the match`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: alice, name: "Laptop")
      let long =
        String(repeating: "ä'", count: 100) + "né\u{1B}edle" + String(repeating: "ö", count: 99)
      try logs.write([Transaction(1, counter: 2, .insert(1, .string(long), 0.5))])
      let head = "\(alice):1  2023-11-14T22:13:21.000Z +2  Laptop  insert tracks 1 title="
      let plain = Invocation("log", "grep", "n..", logs.container)
      let before = String(repeating: "ä''", count: 20)
      let after = "\\x1bedle" + String(repeating: "ö", count: 27)
      #expect(plain.output == head + "'…\(before)né\(after)…' (506 bytes)\n")
      let coloured = Invocation("log", "grep", "n..", logs.container, terminal: true, colours: true)
      #expect(coloured.output.contains("''\u{1B}[1;31mné\u{1B}[0m\\x1bedle"))
      #expect(
        Invocation("log", "grep", "5", logs.container).output
          == head.dropLast("title=".count) + "length=0.5\n")
    }
  }

  @Test func `a damaged file is reported, and the others are searched`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let other = try logs.write([Transaction(1, at: 1_800_000_000_000)], by: bob)
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = Invocation("log", "grep", "-F", "title", path, other)
        #expect(run.status == .damage)
        #expect(run.errors.hasPrefix("tributary: \(path): "))
        #expect((1...3).contains(run.lines.count))
      }
    }
  }
}
