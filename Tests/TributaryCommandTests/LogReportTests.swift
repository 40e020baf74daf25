import Foundation
import Testing
import TributaryCommand
import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryTesting

struct LogReportTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// The data of a page about logs.
  private func report(
    _ logs: LogFixture, _ more: String..., status: TributaryCommand.ExitStatus = .done
  ) throws -> ReportData {
    let run = Invocation(words: ["log", "report", logs.container] + more)
    #expect(run.status == status, "\(run.errors)")
    let data = try ReportData(page: run.output)
    try JSONSchema(named: "log-report").check(data.text)
    return data
  }

  @Test func `the page holds transactions, tables, growth, and who has what`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: alice, name: "Laptop", sequence: 2, receipt: [bob: 1])
      try logs.writeManifest(of: bob, name: "", sequence: 1)
      let path = try logs.write([
        Transaction(1, .insert(1, "a", 1.5), .insert("x", 1, "y", into: LogFixture.pairs)),
        Transaction(2, at: 1_700_090_000_000, knows: [bob: 1], .update(1, "b", nil)),
      ])
      try logs.write(
        [Transaction(1, at: 1_700_000_002_000, knows: [alice: 1], .delete(1))], by: bob)
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      let other = (try report(logs).object["peers"] as? [[String: Any]])?[1]["fileBytes"] as? Int
      let data = try report(logs)
      #expect(data["title"] == #""Library""# && data["filter"] == #""""#)
      #expect(data["contents"] == #"["Library"]"#)
      #expect(
        data["peers"]
          == """
          [{"base":[],"content":0,"fileBytes":\(size),"firstTime":1700000001000,"id":"\(alice)",\
          "known":[1,1],"last":2,"lastTime":1700090000000,"name":"Laptop","published":2,\
          "segments":1,"tally":{"bytes":21,"changes":3,"first":1,"last":2,"transactions":2}},\
          {"base":[],"content":0,"fileBytes":\(other ?? 0),"firstTime":1700000002000,"id":"\(bob)",\
          "known":[0,1],"last":1,"lastTime":1700000002000,"published":1,"segments":1,\
          "tally":{"bytes":1,"changes":1,"first":1,"last":1,"transactions":1}}]
          """)
      #expect(
        data["transactions"]
          == """
          {"bytes":[12,5,1,4],"deletes":[0,0,1,0],"inserts":[1,1,0,0],"knower":[1,1],\
          "known":[0,1],"knownSequence":[1,1],"parts":[2,1,1],"peer":[0,1,0],"sequence":[1,1,1],\
          "table":[0,1,0,0],"time":[1700000001000,1000,89998000],"updates":[0,0,0,1]}
          """)
      #expect(
        data["tables"]
          == """
          [{"bytes":17,"content":0,"deletes":1,"inserts":1,"name":"tracks","updates":1},\
          {"bytes":5,"content":0,"deletes":0,"inserts":1,"name":"pairs","updates":0}]
          """)
      #expect(
        data["growth"]
          == """
          {"bytes":[18,4],"changes":[3,1],"first":[1,2],"last":[1,2],"peer":[0,0],\
          "step":[19675,1],"transactions":[2,1],"width":86400000}
          """)
      for name in ["conflicts", "findings", "gaps", "waits"] { #expect(data[name] == "[]") }
    }
  }

  @Test func `concurrent writes of one row are found, and whether they were answered`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: alice, name: "A", merge: ["Pairs": .init(columns: ["v": "max"])])
      try logs.write([
        Transaction(1, at: 10, .insert(1, "a", 1.0), .insert(2, "a", 1.0), .insert(3, "a", 1.0)),
        Transaction(2, at: 20, .update(1, "b", nil), .update(2, "b", nil), .delete(3)),
        Transaction(3, at: 22, .insert("k", "v", 1, into: LogFixture.pairs), .insert(7, "n", 1.0)),
        Transaction(4, at: 50, knows: [bob: 3], .update(1, "d", nil)),
      ])
      try logs.write(
        [
          // The same column; the same value; another column; what was deleted.
          Transaction(
            1, at: 30, knows: [alice: 1], .update(1, "c", nil), .update(2, "b", 2.0),
            .update(3, "c", nil)),
          // Of a column that is a maximum nothing is lost; two rows were given one number.
          Transaction(
            2, at: 31, knows: [alice: 1], .insert("k", "w", 1, into: LogFixture.pairs),
            .insert(7, "m", 1.0)),
          // Somebody who knew it.
          Transaction(3, at: 40, knows: [alice: 2], .update(2, "e", nil)),
        ], by: bob)
      let data = try report(logs)
      #expect(data["conflictCounts"] == #"{"delete":1,"insert":0,"number":1,"update":1}"#)
      let own = #""table":0,"time":30,"winner":{"peer""#
      #expect(
        data["conflicts"]
          == """
          [{"answered":true,"columns":["title"],"key":"1","kind":"update",\
          "loser":{"peer":0,"sequence":2},\(own):1,"sequence":1}},\
          {"answered":false,"columns":[],"key":"3","kind":"delete",\
          "loser":{"peer":1,"sequence":1},\(own):0,"sequence":2}},\
          {"answered":false,"columns":["title"],"key":"7","kind":"number",\
          "loser":{"peer":0,"sequence":3},"table":0,"time":31,"winner":{"peer":1,"sequence":2}}]
          """)
    }
  }

  @Test func `a write that is based on an older version is concurrent with its own author's`()
    throws
  {
    try withLogs { logs in
      try logs.write([
        Transaction(1, .insert(1, "a", 1.0)), Transaction(2, .update(1, "b", nil)),
        Transaction(3, basis: [alice: 1], .update(1, "c", nil)),
      ])
      let data = try report(logs)
      #expect(data["conflictCounts"] == #"{"delete":0,"insert":0,"number":0,"update":1}"#)
    }
  }

  @Test func `what is missing is told, with what waits for it`() throws {
    try withLogs { logs in
      try logs.write([Transaction(2)])
      try logs.write(
        [
          Transaction(1, at: 1, knows: [:], .delete(9)),
          Transaction(2, at: 1_700_000_003_000, knows: [alice: 5]),
        ],
        by: bob)
      let data = try report(logs)
      #expect(
        data["gaps"]
          == #"[{"first":1,"last":1,"peer":0},{"first":3,"last":5,"peer":0}]"#)
      #expect(
        data["waits"]
          == """
          [{"for":0,"forSequence":1,"peer":0,"sequence":2},\
          {"for":0,"forSequence":5,"peer":1,"sequence":2}]
          """)
    }
  }

  @Test func `damage is in the page and on standard error, and the rest is there`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(1, at: 5)], by: bob)
      try logs.writeManifest(of: bob, name: "B")
      let manifest = logs.directory(of: bob) + "/peer.json"
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in stride(from: 0, to: bytes.count, by: 7) {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = Invocation("log", "report", logs.container)
        #expect(run.status == .damage)
        let data = try ReportData(page: run.output)
        #expect(data["findingCount"] == "1")
        #expect(data["findings"].contains("truncated"))
        #expect(run.errors.hasPrefix("tributary: \(path): truncated: "))
        let transactions = try #require(data.object["total"] as? [String: Any])
        #expect([1, 2, 3].contains(transactions["transactions"] as? Int))
      }
      try bytes.write(to: URL(filePath: path))
      try Data("{".utf8).write(to: URL(filePath: manifest))
      let data = try report(logs, status: .damage)
      #expect(data["findings"].contains("\(manifest)") && data["findingCount"] == "1")
    }
  }

  @Test func `another copy stands in for a damaged one, and counts once`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(1)])
      try logs.write([Transaction(2)])
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.dropLast(80).write(to: URL(filePath: path))
      let total = try report(logs, status: .damage).object["total"] as? [String: Any]
      #expect(total?["transactions"] as? Int == 2 && total?["changes"] as? Int == 2)
    }
  }

  @Test func `filters leave out transactions, and neither damage nor who has what`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: bob, name: "B", sequence: 1, receipt: [alice: 1])
      try logs.write([
        Transaction(1), Transaction(2, .delete("a", "b", from: LogFixture.pairs)), Transaction(3),
      ])
      try logs.write([Transaction(1, knows: [alice: 9])], by: bob)
      for (words, count) in [
        (["--peer", "a"], 3), (["--table", "pairs"], 1), (["--from", "2"], 2), (["--key", "3"], 1),
        (["--since", "1700000003000"], 1),
      ] {
        let run = Invocation(words: ["log", "report", logs.container] + words)
        let data = try ReportData(page: run.output)
        let total = data.object["total"] as? [String: Any]
        #expect(total?["transactions"] as? Int == count, "\(words)")
        #expect(data["filter"] == "\"\(words.joined(separator: " "))\"")
        #expect(data["gapCount"] == "1" && data["waitCount"] == "1")
      }
    }
  }

  @Test func `the file appears whole, and takes the place of another one`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      let path = logs.container + "/page.html"
      try Data("old".utf8).write(to: URL(filePath: path))
      let run = Invocation("log", "report", logs.content, "--output", path, "--title", "My <logs>")
      #expect(run.status == .done && run.errors.isEmpty)
      let page = try String(contentsOfFile: path, encoding: .utf8)
      #expect(run.output == "\(path): 1 peer, 1 transaction, \(page.utf8.count) bytes\n")
      #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
      let data = try ReportData(page: page)
      #expect(data["title"] == #""My <logs>""#)
      let names = try FileManager.default.contentsOfDirectory(atPath: logs.container)
      #expect(Set(names) == ["page.html", "tributary"])
      #expect(Invocation("log", "report", "-q", logs.content, "-o", path).output.isEmpty)
    }
  }

  @Test func `a place that cannot be written is told before anything is read`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1)])
      try Data("no log".utf8).write(to: URL(filePath: path))
      for (target, message) in [
        ("/dev/null", "is not a regular file"), (logs.container, "is not a regular file"),
        (logs.container + "/no/page.html", "no such directory"),
      ] {
        let run = Invocation("log", "report", logs.container, "-o", target)
        #expect(run.status == .failed && run.output.isEmpty)
        #expect(run.errors.contains(message) && run.errors.filter { $0 == "\n" }.count == 1)
      }
      let terminal = Invocation("log", "report", logs.container, terminal: true)
      #expect(terminal.status == .usage && terminal.errors.contains("name a file with --output"))
      #expect(Invocation("log", "report", logs.container + "/no").status == .failed)
    }
  }

  @Test func `without logs the page is empty`() throws {
    try withTemporaryDirectory { directory in
      let run = Invocation("log", "report", directory)
      #expect(run.status == .done && run.errors.contains("no logs here"))
      let data = try ReportData(page: run.output)
      #expect(data["peers"] == "[]")
    }
  }
}
