import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryFiles
import TributaryTesting

/// `log replay`, `log diff` and `log blame` as they are called; what they find is compared with the
/// definition elsewhere.
struct LogMomentTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// Lends logs of two peers: Bob has seen Alice's first transaction and writes after her second.
  private func withHistory(_ body: (LogFixture, String) throws -> Void) throws {
    try withLogs { logs in
      try logs.write([
        Transaction(1, .insert(1, "one", 1.5), .insert(2, "two", .null)),
        Transaction(
          2, .update(1, "uno", nil), .insert("b", .blob([1]), "a", into: LogFixture.pairs)),
      ])
      try logs.write(
        [
          Transaction(1, at: 1_700_000_003_000, knows: [alice: 1], .update(1, nil, 2.5), .delete(2))
        ],
        by: bob)
      try logs.writeManifest(of: bob, name: "Bob's\u{1B} laptop")
      try body(logs, logs.container + "-out.db")
    }
  }

  private func query(_ path: String, _ sql: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-readonly", path, sql]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  @Test(arguments: [
    ("a11c:1", "1|one|1.5\n2|two|\n"), ("A11C:2", "1|uno|1.5\n2|two|\n"), ("b0b:1", "1|one|2.5\n"),
    ("2023-11-14T22:13:21Z", "1|one|1.5\n2|two|\n"), ("1700000002000", "1|uno|1.5\n2|two|\n"),
    ("1700000003000", "1|uno|2.5\n"), ("1700000000999", ""),
    ("2100-01-01T00:00:00Z", "1|uno|2.5\n"),
  ])
  func `replay makes an ordinary database of the moment`(moment: String, rows: String) throws {
    try withHistory { logs, out in
      let before = try DirectoryImage(of: logs.container)
      let run = Invocation("log", "replay", logs.container, "--until", moment, "-o", out)
      #expect(run.status == .done && run.errors == "", "\(run.errors)")
      #expect(try query(out, "SELECT * FROM tracks ORDER BY 1") == rows)
      #expect(try query(out, "SELECT name FROM sqlite_schema WHERE name LIKE 'tributary%'") == "")
      #expect(try query(out, "PRAGMA journal_mode") == "delete\n")
      #expect(try DirectoryImage(of: logs.container).difference(from: before).isEmpty)
      let again = Invocation("log", "replay", logs.container, "-o", out)
      #expect(again.status == .failed && again.errors.contains("already exists"))
      #expect(try query(out, "SELECT * FROM tracks ORDER BY 1") == rows)
    }
  }

  @Test(arguments: [
    (["blame", "C"], 0), (["diff", "C"], 0), (["replay", "C", "-o", "O"], 0),
    (["replay", "C", "-o", "/nowhere/x"], 1), (["blame", "C", "--until", "a11c:9"], 1),
    (["diff", "C", "--to", "a11c:9"], 1),
  ])
  func `no temporary file is left, whatever happens`(words: [String], status: Int) throws {
    try withHistory { logs, out in
      let scratch = logs.container + "-scratch"
      try FileManager.default.createDirectory(
        atPath: scratch, withIntermediateDirectories: false)
      let process = try CommandProcess(
        ["log"] + words.map { $0 == "C" ? logs.container : $0 == "O" ? out : $0 },
        environment: ["TMPDIR": scratch])
      #expect(try process.finish().status == Int32(status))
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
    }
  }

  @Test func `what a killed command has left is removed, and what others use is not`() throws {
    try withHistory { logs, _ in
      let scratch = logs.container + "-scratch"
      let old = Date(timeIntervalSinceNow: -3600)
      for name in ["tributary-log.killed/container/x", "tributary-log.inuse1", "other.killed"] {
        try FileManager.default.createDirectory(
          atPath: "\(scratch)/\(name)", withIntermediateDirectories: true)
      }
      for name in ["tributary-log.killed", "tributary-log.inuse1", "other.killed"] {
        try FileManager.default.setAttributes(
          [.modificationDate: old], ofItemAtPath: "\(scratch)/\(name)")
      }
      try FileManager.default.createDirectory(
        atPath: "\(scratch)/tributary-log.young1", withIntermediateDirectories: false)
      let lock = try FileLock.take("\(scratch)/tributary-log.inuse1")
      let process = try CommandProcess(
        ["log", "blame", logs.container], environment: ["TMPDIR": scratch])
      #expect(try process.finish().status == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: scratch).sorted()
          == ["other.killed", "tributary-log.inuse1", "tributary-log.young1"])
      hold(lock)
    }
  }

  /// Keeps a lock until here.
  private func hold(_ lock: borrowing FileLock?) {}

  @Test func `a directory for temporary files that is not there is named`() throws {
    try withHistory { logs, _ in
      let process = try CommandProcess(
        ["log", "blame", logs.container], environment: ["TMPDIR": "/nowhere"])
      let end = try process.finish()
      #expect(end.status == 1 && end.errors.contains("/nowhere") && end.errors.contains("TMPDIR"))
    }
  }

  @Test func `single files do as well, in any order and under any name`() throws {
    try withHistory { logs, out in
      let files = try FileManager.default.subpathsOfDirectory(atPath: logs.container)
        .filter { $0.hasSuffix(".lz4") }.sorted()
      let copy = logs.container + "/copy of a log.lz4"
      try FileManager.default.copyItem(atPath: "\(logs.container)/\(files[0])", toPath: copy)
      let run = Invocation("log", "replay", "\(logs.container)/\(files[1])", copy, "-o", out)
      #expect(run.status == .done, "\(run.errors)")
      #expect(try query(out, "SELECT * FROM tracks") == "1|uno|2.5\n")
    }
  }

  @Test func `what waits for others is left out and told`() throws {
    try withHistory { logs, out in
      try FileManager.default.removeItem(atPath: logs.directory(of: alice))
      let run = Invocation("log", "replay", logs.container, "-o", out)
      #expect(run.status == .damage)
      #expect(
        run.errors.contains("transaction 1 of \(bob) waits for transaction 1 of \(alice)"),
        "\(run.errors)")
      #expect(try query(out, "SELECT * FROM tracks") == "")
    }
  }

  @Test func `what is damaged is left out and told, by the name of the file that was given`() throws
  {
    try withHistory { logs, out in
      let path = try logs.write([Transaction(3, .insert(3, "three", 3.5))])
      try logs.write([Transaction(4, .insert(4, "four", 4.5))])
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 30] ^= 1
      try bytes.write(to: URL(filePath: path))
      let run = Invocation("log", "replay", logs.container, "-o", out)
      #expect(run.status == .damage)
      #expect(run.errors.contains(path), "\(run.errors)")
      #expect(try query(out, "SELECT * FROM tracks") == "1|uno|2.5\n")
    }
  }

  @Test func `a database in a container is refused`() throws {
    try withHistory { logs, _ in
      let out = "\(logs.content)/r.db"
      let run = Invocation("log", "replay", logs.container, "-o", out)
      #expect(
        run.status == .failed && !FileManager.default.fileExists(atPath: out), "\(run.errors)")
    }
  }

  @Test(arguments: [
    ("x", "not 'x'"), ("a11c:", "not 'a11c:'"), ("a11c:0", "not 'a11c:0'"), (":1", "not ':1'"),
    ("xyz:1", "not 'xyz:1'"), ("", "not ''"),
  ])
  func `a moment that is none is refused with how to say one`(moment: String, message: String)
    throws
  {
    try withHistory { logs, out in
      let run = Invocation("log", "replay", logs.container, "--until", moment, "-o", out)
      #expect(run.status == .usage && run.errors.contains(message), "\(run.errors)")
    }
  }

  @Test(arguments: [
    ("a11c:9", "no segment here has transaction 9"), ("ff:1", "no segment here is from a peer"),
  ])
  func `a moment that is not in the logs is refused`(moment: String, message: String) throws {
    try withHistory { logs, out in
      let run = Invocation("log", "replay", logs.container, "--until", moment, "-o", out)
      #expect(run.status == .failed && run.errors.contains(message), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: out))
    }
  }

  @Test func `the logs of two databases are refused by their names`() throws {
    try withHistory { logs, out in
      var others = logs
      others.contentName = "Notes"
      try others.write([Transaction(1)])
      let run = Invocation("log", "replay", logs.container, "-o", out)
      #expect(run.status == .failed && run.errors.contains(#""Library", "Notes""#), "\(run.errors)")
    }
  }

  @Test func `diff shows what is different, with the values of both moments`() throws {
    try withHistory { logs, _ in
      let run = Invocation(
        "log", "diff", logs.container, "--from", "a11c:1", "--to", "2100-01-01T00:00:00Z")
      #expect(run.status == .done && run.errors == "", "\(run.errors)")
      #expect(
        run.output == """
          insert pairs ('a', 'b') a='b' v=x'01' b='a'
          update tracks 1 title='one' -> 'uno' length=1.5 -> 2.5
          delete tracks 2 id=2 title='two' length=NULL

          """)
      let json = Invocation("log", "diff", logs.container, "--from", "a11c:1", "--json")
      let schema = try JSONSchema(named: "log-diff")
      for line in json.lines { try schema.check(line) }
      #expect(
        json.lines == [
          #"{"table":"pairs","op":"insert","key":["a","b"],"before":{},"after":{"a":"b","v":{"blob":"01"},"b":"a"}}"#,
          #"{"table":"tracks","op":"update","key":1,"before":{"title":"one","length":1.5},"after":{"title":"uno","length":2.5}}"#,
          #"{"table":"tracks","op":"delete","key":2,"before":{"id":2,"title":"two","length":null},"after":{}}"#,
        ])
      #expect(
        Invocation("log", "diff", logs.container, "--to", "a11c:1", "--key", "2").lines == [
          "insert tracks 2 id=2 title='two' length=NULL"
        ])
      #expect(
        Invocation("log", "diff", logs.container, "--from", "b0b:1", "--to", "b0b:1").lines == [])
    }
  }

  @Test func `blame names the last writer of each cell`() throws {
    try withHistory { logs, _ in
      let run = Invocation("log", "blame", logs.container, "--table", "TRACKS")
      #expect(run.status == .done && run.errors == "", "\(run.errors)")
      #expect(
        run.output == """
          tracks 1
            COLUMN  VALUE  TIME                      TRANSACTION                         PEER
            id      1      2023-11-14T22:13:21.000Z  \(alice):1  \("")
            title   'uno'  2023-11-14T22:13:22.000Z  \(alice):2  \("")
            length  2.5    2023-11-14T22:13:23.000Z  \(bob):1  Bob's\\x1b laptop

          """)
      let json = Invocation("log", "blame", logs.container, "--json", "--column", "length")
      let schema = try JSONSchema(named: "log-blame")
      for line in json.lines { try schema.check(line) }
      #expect(
        json.lines == [
          """
          {"table":"tracks","key":1,"held":false,"cells":{"length":{"value":2.5,"peer":"\(bob)",\
          "sequence":1,"stamp":{"milliseconds":1700000003000,"counter":0},\
          "time":"2023-11-14T22:13:23.000Z"}}}
          """
        ])
      #expect(
        Invocation(
          "log", "blame", logs.container, "--key", "2", "--until", "a11c:2", "--column", "TITLE"
        ).output.contains("'two'"))
    }
  }

  @Test func `a path without logs has nothing to be replayed`() throws {
    try withTemporaryDirectory { directory in
      for words in [["blame"], ["diff"], ["replay", "-o", "\(directory)/r.db"]] {
        let run = Invocation(words: ["log"] + words + [directory])
        #expect(
          run.status == .failed && run.errors.contains("no readable segments or baselines"),
          "\(run.errors)")
      }
    }
  }
}
