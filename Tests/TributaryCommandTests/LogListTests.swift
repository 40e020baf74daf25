import Foundation
import Testing
import TributaryCommand
import TributaryTesting

struct LogListTests {
  private typealias Transaction = LogFixture.Transaction

  @Test func `segments are listed for each peer with its name`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: LogFixture.alice, name: "Laptop")
      let first = try logs.write([Transaction(1), Transaction(2)])
      let second = try logs.write([Transaction(3)])
      try logs.writeManifest(of: LogFixture.bob, name: "")
      let run = Invocation("log", "list", logs.container)
      #expect(run.status == .done)
      #expect(run.errors.isEmpty)
      let names = [first, second].map { URL(filePath: $0).lastPathComponent }
      let sizes = try [first, second].map { try Data(contentsOf: URL(filePath: $0)).count }
      #expect(
        run.lines == [
          "peer \(LogFixture.alice) (Laptop) in \(logs.content)",
          "  SEGMENT                                                 FIRST  LAST  TRANSACTIONS  "
            + "FROM                      TO                        BYTES",
          "  \(names[0])      1     2             2  2023-11-14T22:13:21.000Z  "
            + "2023-11-14T22:13:22.000Z    \(sizes[0])",
          "  \(names[1])      3     3             1  2023-11-14T22:13:23.000Z  "
            + "2023-11-14T22:13:23.000Z    \(sizes[1])",
          "peer \(LogFixture.bob) in \(logs.content)", "  no segments",
        ])
    }
  }

  @Test func `JSON is one segment a line, by the schema`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: LogFixture.alice, name: "Lap\u{1B}top")
      let path = try logs.write([
        Transaction(1), Transaction(2, counter: 7, knows: [LogFixture.bob: 9]),
      ])
      let size = try Data(contentsOf: URL(filePath: path)).count
      let run = Invocation("log", "list", "--json", logs.container)
      #expect(run.status == .done)
      #expect(
        run.output == """
          {"path":"\(path)","peer":"\(LogFixture.alice)","name":"Lap\\u001btop",\
          "content":"Library","format":"1.0",\
          "first":{"sequence":1,"stamp":{"milliseconds":1700000001000,"counter":0},\
          "time":"2023-11-14T22:13:21.000Z"},\
          "last":{"sequence":2,"stamp":{"milliseconds":1700000002000,"counter":7},\
          "time":"2023-11-14T22:13:22.000Z"},\
          "transactions":2,"size":\(size),"knowledge":{"\(LogFixture.bob)":9}}

          """)
      try JSONSchema(named: "log-list").check(run.lines[0])
    }
  }

  @Test func `every path that leads to logs is understood`() throws {
    try withLogs { logs in
      var other = logs
      other.contentName = "Other"
      other.root = "deeper/root"
      let one = try logs.write([Transaction(1)])
      let two = try other.write([Transaction(1, at: 5)], by: LogFixture.bob)
      func paths(_ path: String...) throws -> [String] {
        let run = Invocation(words: ["log", "list", "--json"] + path)
        #expect(run.status == .done)
        return try run.lines.map { line in
          let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return try #require(object?["path"] as? String)
        }
      }
      #expect(try paths(logs.container) == [two, one])
      #expect(try paths(logs.content) == [one])
      #expect(try paths(logs.content + "/peers") == [one])
      #expect(try paths(logs.directory(of: LogFixture.alice)) == [one])
      #expect(try paths(logs.directory(of: LogFixture.alice) + "/log") == [one])
      #expect(try paths(one) == [one])
      #expect(try paths(one, two) == [one, two])
      #expect(try paths(other.content, one) == [two, one])
    }
  }

  @Test func `a content name may look like a peer`() throws {
    try withLogs { logs in
      var logs = logs
      logs.contentName = "0123456789abcdef0123456789abcdef"
      let path = try logs.write([Transaction(1)])
      for start in [logs.container, logs.content] {
        let run = Invocation("log", "list", "--json", start)
        #expect(run.status == .done)
        #expect(run.lines.count == 1 && run.output.contains(path))
      }
    }
  }

  @Test func `what is not of the format is passed over, and links are not followed`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1)])
      let files = FileManager.default
      let log = URL(filePath: path).deletingLastPathComponent().path
      for name in [".tmp-1", "conflict.lz4", "0-0-0.lz4", "x.sync-conflict-1.lz4"] {
        try Data("junk".utf8).write(to: URL(filePath: "\(log)/\(name)"))
      }
      try files.createSymbolicLink(
        atPath: logs.container + "/loop", withDestinationPath: logs.container)
      let run = Invocation("log", "list", "--json", logs.container)
      #expect(run.status == .done)
      #expect(run.lines.count == 1)
    }
  }

  @Test func `a segment under any name can be named`() throws {
    try withLogs { logs in
      let copy = logs.container + "/some copy"
      try FileManager.default.copyItem(atPath: try logs.write([Transaction(1)]), toPath: copy)
      let run = Invocation("log", "list", copy)
      #expect(run.status == .done)
      #expect(run.lines[0] == "segments")
      #expect(run.output.contains("  some copy"))
    }
  }

  @Test func `damaged headers are reported, and the others listed`() throws {
    try withLogs { logs in
      let good = try logs.write([Transaction(1)])
      let bad = try logs.write([Transaction(2)])
      let misplaced = try logs.write([Transaction(7)], by: LogFixture.bob, in: LogFixture.alice)
      let bytes = try Data(contentsOf: URL(filePath: bad))
      for count in [0, 1, 8, 40, 80] {
        try bytes.prefix(count).write(to: URL(filePath: bad))
        let run = Invocation("log", "list", "--json", logs.container)
        #expect(run.status == .damage)
        #expect(run.output.contains(good) && !run.output.contains(bad))
        let errors = run.errors.split(separator: "\n")
        try #require(errors.count == 2)
        #expect(errors[0].hasPrefix("tributary: \(bad): truncated: the file "))
        #expect(errors[1] == "tributary: \(misplaced): is by the peer \(LogFixture.bob)")
      }
    }
  }

  @Test func `a path that does not exist is an error, and an empty one a note`() throws {
    try withTemporaryDirectory { directory in
      let missing = Invocation("log", "list", directory + "/nowhere")
      #expect(missing.status == .failed)
      #expect(
        missing.errors
          == "tributary: no such file or directory: \(directory)/nowhere; check the path\n")
      let empty = Invocation("log", "list", directory)
      #expect(empty.status == .done)
      #expect(empty.errors == "tributary: no logs here: \(directory)\n")
      #expect(Invocation("log", "list", directory, "-q").errors.isEmpty)
    }
  }
}
