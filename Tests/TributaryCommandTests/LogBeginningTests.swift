import Foundation
import Glibc
import Testing
import TributaryCommand
import TributarySimulation
import TributaryTesting

/// What `log` says of logs whose beginning the devices have forgotten.
struct LogBeginningTests {
  /// The commands that read logs, each with what it takes besides their path.
  private static let commands: [[String]] = [
    ["list"], ["stat"], ["show"], ["grep", "new"], ["export"], ["blame"], ["diff"], ["report"],
    ["replay", "-o"],
  ]

  /// Runs a command; where it writes a file, that is `out` beside the container.
  private func run(_ command: [String], _ stores: ForgetfulStores, _ more: String...) -> Invocation
  {
    var words = ["log"] + command
    if words.last == "-o" { words.append(out(stores)) }
    return Invocation(words: words + [stores.container] + more)
  }

  private func out(_ stores: ForgetfulStores) -> String { stores.directory + "/out" }

  private func rows(_ stores: ForgetfulStores) throws -> String {
    let query = try Shell(
      "sqlite3 -readonly \"$0\" 'SELECT id, text FROM notes ORDER BY id'", out(stores)
    ).finish()
    #expect(query.status == 0)
    return query.output
  }

  @Test func `a baseline that is named as a segment is refused, and says what to name instead`()
    throws
  {
    try withForgetfulStores { stores in
      for command in ["verify", "show"] {
        let run = Invocation("log", command, stores.baselines[0])
        #expect(run.status == .failed)
        #expect(
          run.errors.hasPrefix(
            "tributary: \(stores.baselines[0]) is a baseline, which has rows and no transactions; name the "
          ))
      }
    }
  }

  @Test(arguments: commands)
  func `each command says with which baseline the history begins`(command: [String]) throws {
    try withForgetfulStores { stores in
      let run = run(command, stores)
      #expect(run.status == .done, "\(run.errors)")
      let begins = stores.baselines.map {
        "tributary: history begins with \($0): 6 transactions up to "
      }
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count == 1 && begins.contains { lines[0].hasPrefix($0) }, "\(run.errors)")
    }
  }

  @Test func `a baseline alone is enough to replay`() throws {
    try withTemporaryDirectory { directory in
      let (store, container) = (directory + "/store.db", directory + "/container")
      try FileManager.default.createDirectory(
        atPath: container, withIntermediateDirectories: true)
      // So large that its rows are in a baseline and in no segment.
      let rows = """
        CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO notes SELECT i, printf('%2500d', i) FROM n;
        """
      #expect(try Shell("sqlite3 \"$0\" \"$1\"", store, rows).finish().status == 0)
      let attach = Invocation("attach", store, "--container", container, "--name", "N")
      #expect(attach.status == .done, "\(attach.errors)")
      for command in [["list"], ["stat"], ["show"], ["blame"], ["diff"], ["verify"]] {
        let run = Invocation(words: ["log"] + command + [container])
        #expect(run.status == .done, "\(run.errors)")
      }
      let out = directory + "/out.db"
      let replay = Invocation("log", "replay", container, "-o", out)
      #expect(replay.status == .done, "\(replay.errors)")
      let query = "SELECT count(*), sum(text) FROM notes"
      let same = try Shell("sqlite3 \"$0\" \"$1\"", out, query).finish()
      #expect(same.output == (try Shell("sqlite3 \"$0\" \"$1\"", store, query).finish()).output)
    }
  }

  @Test func `following says it, too`() throws {
    try withForgetfulStores { stores in
      let follow = try CommandProcess(["log", "follow", stores.container])
      #expect(follow.nextErrorLine()?.hasPrefix("tributary: history begins with ") == true)
      #expect(follow.nextLine() != nil)
      follow.send(SIGINT)
      #expect(try follow.finish().status == 0)
    }
  }

  @Test func `a moment whose transactions are only in a later baseline is refused`() throws {
    try withForgetfulStores { stores in
      let earlier = stores.baselines[0]
      let bytes = try Data(contentsOf: URL(filePath: earlier))
      let shown = Invocation("log", "show", stores.container, "--from", "4", "--json").lines
      let moment = try #require(shown.last?.firstMatch(of: /"time":"([^"]+)"/)?.output.1)
      try stores.write("INSERT INTO notes VALUES (30, 'newer')", on: "a")
      try stores.forget()
      // A carrier brings it back.
      try bytes.write(to: URL(filePath: earlier))
      let replayed = run(["replay", "-o"], stores, "--until", String(moment))
      #expect(replayed.status == .failed)
      #expect(replayed.errors.contains("the logs begin at "), "\(replayed.errors)")
      #expect(!FileManager.default.fileExists(atPath: out(stores)))
      #expect(run(["replay", "-o"], stores).status == .done)
      #expect(try rows(stores).hasSuffix("20|new\n30|newer\n"))
    }
  }

  @Test func `a transaction that is only in a baseline is refused in the same way`() throws {
    try withForgetfulStores { stores in
      let segment = URL(filePath: stores.files(".lz4", in: "log")[0])
      let peer = segment.deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
      let replayed = run(["replay", "-o"], stores, "--until", "\(peer):1")
      #expect(replayed.status == .failed)
      #expect(replayed.errors.contains("the logs begin at "), "\(replayed.errors)")
      #expect(!FileManager.default.fileExists(atPath: out(stores)))
    }
  }

  @Test func `what asks only for later transactions says nothing of it`() throws {
    try withForgetfulStores { stores in
      let run = run(["show"], stores, "--from", "4")
      #expect(run.status == .done && run.errors == "")
    }
  }

  @Test func `commands say it only of the logs that were named`() throws {
    try withForgetfulStores { stores in
      let segments = stores.files(".lz4", in: "log")
      let single = Invocation("log", "show", segments[1])
      #expect(single.status == .done && single.errors == "")
      let peer = URL(filePath: segments[0]).deletingLastPathComponent()
        .deletingLastPathComponent().path(percentEncoded: false)
      let other = try #require(stores.baselines.first { !$0.hasPrefix(peer) })
      #expect(Invocation("log", "show", peer).errors.contains("history begins with "))
      // Another one's baseline will do.
      try stores.lose(stores.baselines.filter { $0 != other }, .gone)
      #expect(Invocation("log", "show", peer).errors.contains("history begins with \(other): "))
      try stores.bringBackSegments()
      for segment in stores.files(".lz4", in: "log") where !segment.hasPrefix(peer) {
        try FileManager.default.removeItem(atPath: segment)
      }
      #expect(Invocation("log", "show", peer).errors == "")
      #expect(Invocation("log", "show", stores.container).errors.contains("history begins with "))
    }
  }

  @Test func `with --json it is a member, and a line of its own where lines are damage`() throws {
    try withForgetfulStores { stores in
      func lines(_ words: String...) throws -> [String] {
        let run = Invocation(words: ["log"] + words + [stores.container, "--json"])
        #expect(run.status == .done, "\(run.errors)")
        for line in run.lines { try JSONSchema(named: "log-\(words[0])").check(line) }
        return run.lines
      }
      let beginning = #""beginning":{"path":"\#(stores.baselines[0])","transactions":6,"stamp":"#
      #expect(try lines("verify").map { $0.hasPrefix("{" + beginning) } == [true])
      // Of each peer the first one.
      #expect(try lines("list").map { $0.contains(beginning) } == [true, false, true, false])
      let groups = try lines("stat")
      #expect(
        groups.map { $0.contains(beginning) } == groups.map { $0.contains(#""segments":"#) })
    }
  }

  @Test func `logs that are all there begin with their first transactions`() throws {
    try withForgetfulStores { stores in
      try stores.bringBackSegments()
      for command in Self.commands {
        try? FileManager.default.removeItem(atPath: out(stores))
        let run = run(command, stores)
        #expect(run.status == .done && run.errors == "", "\(run.errors)")
      }
      #expect(
        Invocation("log", "verify", stores.container).lines
          == ["2 peers, 8 segments, 8 transactions: no damage"])
    }
  }

  // MARK: Damaged baselines

  @Test(arguments: [ForgetfulStores.Loss.cut, .beheaded])
  func `a damaged baseline is named once, and another one serves`(
    loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      // This is the one that would be used.
      let (whole, damaged) = (stores.baselines[0], stores.baselines[1])
      try stores.lose([damaged], loss)
      let verified = Invocation("log", "verify", stores.container)
      #expect(verified.status == .damage)
      #expect(
        verified.lines.first { $0.hasPrefix("\(damaged): is damaged or has not arrived whole: ") }?
          .hasSuffix(": new devices begin with another one") == true, "\(verified.output)")
      #expect(verified.lines.contains { $0.hasPrefix("history begins with \(whole): ") })
      #expect(verified.lines.last == "2 peers, 4 segments, 4 transactions: 1 damaged")
      for command in [["blame"], ["diff"], ["replay", "-o"]] {
        let run = run(command, stores)
        #expect(run.output != "")
        #expect(run.errors.components(separatedBy: damaged).count <= 2, "\(run.errors)")
        #expect(!run.errors.contains("tributary-log."), "\(run.errors)")
      }
      #expect(try rows(stores) == "1|new\n2|old\n3|old\n11|old\n12|old\n13|old\n20|new\n")
    }
  }

  @Test(arguments: commands, [ForgetfulStores.Loss.cut, .beheaded])
  func `history begins with no damaged baseline, which is named as damaged segments are`(
    command: [String], loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      // While it is whole, it is named as the beginning.
      let (damaged, whole) = (stores.baselines[0], stores.baselines[1])
      try stores.lose([damaged], loss)
      let run = run(command, stores)
      #expect(run.status == .damage, "\(run.errors)")
      #expect(run.errors.contains("tributary: history begins with \(whole): "), "\(run.errors)")
      #expect(
        run.errors.contains("\(damaged): is damaged or has not arrived whole: "), "\(run.errors)")
      #expect(run.errors.components(separatedBy: damaged).count == 2, "\(run.errors)")
    }
  }

  @Test func `a baseline whose second half is still zeros is named, and does not count`() throws {
    try withForgetfulStores { stores in
      let (damaged, whole) = (stores.baselines[0], stores.baselines[1])
      var bytes = try Data(contentsOf: URL(filePath: damaged))
      let rest = bytes.count / 2..<bytes.count
      bytes.replaceSubrange(rest, with: Data(count: rest.count))
      try bytes.write(to: URL(filePath: damaged))
      let list = Invocation("log", "list", stores.container)
      #expect(list.status == .damage)
      #expect(list.errors.contains("\(damaged): is damaged "), "\(list.errors)")
      #expect(list.errors.contains("history begins with \(whole): "), "\(list.errors)")
      let follow = try CommandProcess(["log", "follow", stores.container])
      #expect(follow.nextErrorLine()?.contains("\(damaged): is damaged ") == true)
      #expect(follow.nextErrorLine()?.contains("history begins with \(whole): ") == true)
      #expect(follow.nextLine() != nil)
      follow.send(SIGINT)
      #expect(try follow.finish().status == 0)
    }
  }

  @Test func `single segments are shown without a word about baselines`() throws {
    try withForgetfulStores { stores in
      try stores.lose(stores.baselines, .beheaded)
      let single = Invocation("log", "show", stores.files(".lz4", in: "log")[1])
      #expect(single.status == .done && single.errors == "")
    }
  }

  @Test(arguments: ForgetfulStores.Loss.allCases)
  func `nobody who has the segments needs a baseline`(loss: ForgetfulStores.Loss) throws {
    try withForgetfulStores { stores in
      try stores.bringBackSegments()
      try stores.lose(stores.baselines, loss)
      let verified = Invocation("log", "verify", stores.container)
      #expect(verified.status == (loss == .gone ? .done : .damage))
      let consequence = ": new devices begin with another one, or with the segments"
      #expect(
        verified.lines.count { $0.hasSuffix(consequence) } == (loss == .gone ? 0 : 2),
        "\(verified.output)")
      #expect(verified.lines.last?.hasPrefix("2 peers, 8 segments, 8 transactions: ") == true)
      #expect(!verified.output.contains("gap") && !verified.output.contains("begins with /"))
      let replayed = run(["replay", "-o"], stores)
      #expect(replayed.status != .failed)
      #expect(try rows(stores) == "1|new\n2|old\n3|old\n11|old\n12|old\n13|old\n20|new\n")
    }
  }

  @Test(arguments: ForgetfulStores.Loss.allCases)
  func `where neither segments nor a whole baseline have it, all say what to do`(
    loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      let peers = URL(filePath: stores.baselines[0]).pathComponents.dropLast(3)
        .joined(separator: "/").dropFirst()
      try stores.lose(stores.baselines, loss)
      let verified = Invocation("log", "verify", stores.container)
      #expect(verified.status == .damage)
      let lack = "the devices have forgotten what came first, and no whole baseline here has it: "
      let line = try #require(verified.lines.first { $0.contains(lack) }, "\(verified.output)")
      #expect(line.hasPrefix("\(peers): \(lack)transactions 1 to 2 of "))
      #expect(
        line.contains("; wait for the carrier; ") && line.contains("run `tributary baseline`"))
      #expect(!verified.output.contains("gap: "))
      let damages = Invocation("log", "verify", "--json", stores.container)
      #expect(damages.lines.count == (loss == .gone ? 1 : 3))
      for line in damages.lines { try JSONSchema(named: "log-verify").check(line) }
      for command in [["replay", "-o"], ["blame"], ["diff"]] {
        let run = run(command, stores)
        #expect(run.status == .failed && run.output == "")
        #expect(run.errors.contains("forgotten"), "\(run.errors)")
        #expect(run.errors.contains("run `tributary baseline`"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: out(stores)))
      }
      for command in [["list"], ["stat"], ["show"], ["export"], ["grep", "new"]] {
        let run = run(command, stores)
        #expect(run.status == (loss == .gone ? .done : .damage))
        #expect(!run.errors.contains("history begins with "), "\(run.errors)")
        let named = stores.baselines.count { run.errors.contains("\($0): is damaged ") }
        #expect(named == (loss == .gone ? 0 : 2), "\(run.errors)")
      }
      #expect(run(["report", "-o"], stores).status == .damage)
    }
  }

  /// Two devices begin apart, each agrees with itself on a horizon, and one is lost when its files arrive.
  @Test func `a lost device that the others do not follow is made from its directory alone`() throws
  {
    try withTemporaryDirectory { directory in
      func path(_ name: String) -> String { "\(directory)/\(name)" }
      func run(_ words: String...) {
        let run = Invocation(words: words)
        #expect(run.status == .done, "\(words): \(run.errors)")
      }
      for name in ["one", "two"] {
        try FileManager.default.createDirectory(
          atPath: path(name), withIntermediateDirectories: true)
      }
      try Data("CREATE TABLE t (k TEXT PRIMARY KEY, v)".utf8)
        .write(to: URL(filePath: path("schema.sql")))
      for (store, container) in [("a", "one"), ("b", "two")] {
        run(
          "attach", path(store), "--container", path(container), "--name", "L", "--schema",
          path("schema.sql"))
        run("sql", path(store), "INSERT INTO t VALUES ('\(store)', 1)")
        run("sync", path(store))
        run("baseline", path(store))
      }
      // Of two declarations by one device each, the other one is followed that has more before it.
      run("sql", path("a"), "INSERT INTO t VALUES ('a later', 1)")
      run("sync", path("a"))
      run("baseline", path("a"))
      run("sql", path("b"), "UPDATE t SET v = 2; INSERT INTO t VALUES ('b later', 1)")
      run("sync", path("b"))
      // All its own transactions are in its baseline, or all but the last.
      let peers = "tributary/L/peers"
      let lost = try #require(
        try FileManager.default.contentsOfDirectory(atPath: "\(path("two"))/\(peers)").first)
      try FileManager.default.moveItem(
        atPath: "\(path("two"))/\(peers)/\(lost)", toPath: "\(path("one"))/\(peers)/\(lost)")
      for arguments in [["sync"], ["peers", "retire"], ["sync"]] {
        let said = Invocation(
          words: arguments + [path("a")] + (arguments.count > 1 ? [lost] : []))
        #expect(
          arguments.count > 1
            || (said.output + said.errors).contains("only its baseline has it"), "\(said.errors)")
      }
      try FileManager.default.moveItem(
        atPath: "\(path("one"))/\(peers)/\(lost)", toPath: path(lost))
      run("log", "replay", path(lost), "-o", path("found.db"))
      run("attach", path("found.db"), "--container", path("one"), "--name", "L")
      run("sync", path("found.db"))
      run("sync", path("a"))
      let query = Invocation("sql", path("a"), "SELECT k, v FROM t ORDER BY k")
      #expect(query.lines == ["a\t1", "a later\t1", "b\t2", "b later\t1"])
    }
  }
}
