import Foundation
import Glibc
import Testing
import TributaryCommand
import TributaryStore
import TributaryTesting

/// The service as a process.
struct ServiceTests {
  private func insert(_ id: Int, into name: String, _ stores: StoreFixture) {
    stores.sql(name, "INSERT INTO tracks VALUES (\(id), 'title \(id)', 1.0, NULL)")
  }

  private func count(_ name: String, _ stores: StoreFixture) throws -> String {
    stores.sql(name, "SELECT count(*) AS n FROM tracks", "--json")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `it synchronises all stores, and at a signal publishes what is committed and ends`(
    signal: Int32
  ) throws {
    try withStores { stores in
      let service = try ServiceProcess(
        stores, #"{"stores": ["a.db", {"path": "b.db", "interval": 60}]}"#)
      try service.next("started")
      insert(1, into: "a", stores)
      let published = try service.next("published")
      #expect(published["store"] == stores.path("a") && published["transactions"] == "1")
      let imported = try service.next("imported")
      #expect(imported["store"] == stores.path("b") && imported["rows"] == "1")
      insert(2, into: "a", stores)
      try service.end(signal)
      #expect(Invocation("status", stores.path("a"), "--json").output.contains(#""unpublished":0"#))
    }
  }

  @Test func `SIGHUP adds and removes stores, and a wrong configuration changes nothing`() throws {
    try withStores { stores in
      let service = try ServiceProcess(stores, #"{"stores": ["a.db"]}"#)
      try service.next("opened")
      try stores.write(#"{"stores": ["a.db", "b.db", 7]}"#, to: "serve.json")
      service.process.send(SIGHUP)
      let refusal = try service.next("reload-failed")
      #expect(refusal["message"]?.contains("stores[2] is neither a path nor an object") == true)
      insert(1, into: "a", stores)
      try service.next("published")
      try stores.write(#"{"stores": ["b.db"]}"#, to: "serve.json")
      service.process.send(SIGHUP)
      #expect(try service.next("removed")["store"] == stores.path("a"))
      let reloaded = try service.next("reloaded")
      #expect(reloaded["added"] == "1" && reloaded["removed"] == "1" && reloaded["stores"] == "1")
      try service.next("imported") { $0["store"] == stores.path("b") }
      try service.end()
    }
  }

  @Test func `SIGHUP at its very beginning has the configuration read again`() throws {
    try withStores { stores in
      // Long enough for the signal to come while it is read for the first time.
      let comment = String(repeating: "x", count: 15 << 20)
      let service = try ServiceProcess(
        stores, #"{"$schema": "\#(comment)", "stores": ["a.db"]}"#)
      let process = "/proc/\(service.process.identifier)"
      try eventually {
        // The program has begun when it ignores SIGPIPE.
        let status = try String(contentsOfFile: process + "/status", encoding: .utf8)
        let ignored = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
        let mask = ignored.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
        return mask >> UInt64(SIGPIPE - 1) & 1 == 1 && status.hasPrefix("Name:\ttributary\n")
      }
      service.process.send(SIGHUP)
      try service.next("reloaded")
      try service.end()
    }
  }

  @Test func `it may open as many files as the hard limit allows, and its commands as before`()
    throws
  {
    try withStores { stores in
      let log = stores.directory + "/limits"
      let service = try ServiceProcess(
        stores,
        #"{"stores": [{"path": "b.db", "onImport": "ulimit -Sn > '\#(log)'; ulimit -Hn >> '\#(log)'"}]}"#,
        limitingFilesTo: 123)
      try service.next("opened")
      let limits = try String(
        contentsOfFile: "/proc/\(service.process.identifier)/limits", encoding: .utf8)
      let line = try #require(
        limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
      let numbers = line.split(separator: " ").dropFirst(3).prefix(2)
      #expect(numbers.first == numbers.last && numbers.first != "123")
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      try service.next("imported")
      try service.end()
      let told = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      #expect(told == ["123", numbers.last ?? ""])
    }
  }

  @Test func `a store that is not there stops no other, and is served when it comes`() throws {
    try withStores { stores in
      let service = try ServiceProcess(stores, #"{"stores": ["missing.db", "a.db", "b.db"]}"#)
      let failure = try service.next("failed")
      #expect(failure["store"] == stores.path("missing") && failure["level"] == "error")
      insert(1, into: "a", stores)
      try service.next("imported") { $0["store"] == stores.path("b") }
      #expect(stores.attach("missing").status == .done)
      try service.next("opened") { $0["store"] == stores.path("missing") }
      insert(2, into: "missing", stores)
      try service.next("imported") { $0["store"] == stores.path("a") }
      try service.end()
    }
  }

  @Test func `the command on import runs again until it succeeds, also for a killed service`()
    throws
  {
    try withStores { stores in
      // Dies as often as there are files, having taken what it was told.
      let script = """
        cat >> told
        for f in die-*; do [ -e "$f" ] && rm "$f" && kill -9 $$; done
        echo done >> told
        """
      let configuration = """
        {"stores": ["a.db", {"path": "b.db", "onImport":
          "cd '\(stores.directory)' && sh -c \(quoted(script))"}]}
        """
      try stores.write("", to: "die-1")
      let service = try ServiceProcess(stores, configuration)
      try service.next("opened") { $0["store"] == stores.path("b") }
      insert(1, into: "a", stores)
      let failure = try service.next("on-import-failed")
      #expect(failure["message"]?.contains("the command of --on-import") == true)
      try eventually { try told(stores).filter { $0 == "done" }.count == 1 }
      #expect(try told(stores).filter { $0.contains(#""inserted":[1]"#) }.count == 2)
      // The next one has no chance to finish before the service is killed.
      try stores.write("", to: "die-2")
      insert(2, into: "a", stores)
      try service.next("on-import-failed")
      service.process.send(SIGKILL)
      _ = try service.process.finish()
      let second = try ServiceProcess(stores, configuration)
      try eventually { try told(stores).filter { $0 == "done" }.count == 2 }
      #expect(try told(stores).last { $0 != "done" }?.contains(#""inserted":[2]"#) == true)
      try second.end()
    }
  }

  /// A command that hangs, in whose directory `started` has its process and that process's group.
  private func hanging(_ stores: StoreFixture) -> String {
    "cd '\(stores.directory)'; echo $$ $(cut -d ' ' -f 5 /proc/$$/stat) > new; mv new started; "
      + "exec sleep 3600"
  }

  /// Waits until it hangs.
  ///
  /// - Returns: whether it has a process group of its own.
  private func hangs(_ stores: StoreFixture) throws -> Bool {
    let path = stores.directory + "/started"
    try eventually { FileManager.default.fileExists(atPath: path) }
    let words = try String(contentsOfFile: path, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace)
    return words.count == 2 && words[0] == words[1]
  }

  @Test func `a command that hangs delays neither new stores nor, after a second SIGTERM, the end`()
    throws
  {
    try withStores { stores in
      let service = try ServiceProcess(
        stores, #"{"stores": [{"path": "b.db", "onImport": "\#(hanging(stores))"}]}"#)
      try service.next("opened")
      insert(1, into: "a", stores)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(try hangs(stores))
      try stores.write(#"{"stores": ["a.db"]}"#, to: "serve.json")
      service.process.send(SIGHUP)
      try service.next("opened") { $0["store"] == stores.path("a") }
      service.process.send(SIGTERM)
      let stopping = try service.next("stopping")
      #expect(
        stopping["message"]?.hasPrefix("waiting for 1 command on import: cd '") == true,
        "\(stopping)")
      service.process.send(SIGTERM)
      let failure = try service.next("on-import-failed")
      #expect(failure["message"]?.contains("died of signal 15") == true, "\(failure)")
      let end = try service.process.finish()
      #expect(end.status == 0 && end.errors.contains(#""event":"stopped""#), "\(end)")
    }
  }

  @Test func `a watch ends after a second SIGINT, whatever its command does`() throws {
    try withStores { stores in
      let watch = try CommandProcess([
        "sync", stores.path("b"), "--watch", "--on-import", "trap '' TERM; " + hanging(stores),
      ])
      insert(1, into: "a", stores)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(try hangs(stores))
      watch.send(SIGINT)
      while let line = watch.nextErrorLine() {
        if line.contains("waiting for 1 command on import") { break }
      }
      // The command ignores the SIGTERM that the second signal brings it; the third one kills it.
      watch.send(SIGINT)
      watch.send(SIGTERM)
      #expect(try watch.finish().status == 0)
    }
  }

  @Test func `imports wait for a command that a killed service could not run`() throws {
    try withStores { stores in
      let log = stores.directory + "/told"
      let words = [
        "sync", stores.path("b"), "--on-import",
        "if [ -e '\(log)' ]; then cat >> '\(log)'; else exit 1; fi",
      ]
      #expect(Invocation(words: words).status == .done)
      for id in 1...2 {
        insert(id, into: "a", stores)
        #expect(Invocation("sync", stores.path("a")).status == .done)
        let run = Invocation(words: words)
        #expect(run.status == .done && run.errors.contains("ended with status 1"))
      }
      try stores.write("", to: "told")
      #expect(Invocation(words: words).status == .done)
      let lines = try told(stores)
      #expect(lines.count == 2)
      #expect(lines[0].contains(#""inserted":[1]"#) && lines[1].contains(#""inserted":[2]"#))
      for line in lines { try JSONSchema(named: "sync").check(line) }
      #expect(Invocation(words: words).status == .done)
      #expect(try told(stores).count == 2, "once each")
    }
  }

  private func told(_ stores: StoreFixture) throws -> [String] {
    // Not there before the first run.
    let text = (try? String(contentsOfFile: stores.directory + "/told", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// A text as one word of the shell, within a text of JSON.
  private func quoted(_ text: String) -> String {
    let word = "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    return word.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
  }
}
