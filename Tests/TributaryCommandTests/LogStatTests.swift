import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryTesting

struct LogStatTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  private func write(_ logs: LogFixture) throws {
    try logs.writeManifest(of: alice, name: "Laptop\u{1B}")
    try logs.write([
      Transaction(1, at: 0, .insert(1, "a", 1.0)),
      Transaction(
        2, .update(1, "bc", nil), .delete(2), .insert("a", 1, "b", into: LogFixture.pairs)),
      Transaction(3, at: 1_700_100_000_000, .delete(1)),
    ])
    try logs.write([Transaction(1, .insert(1, "a", .null))], by: bob)
  }

  @Test func `text has a table for each aspect, and a total`() throws {
    try withLogs { logs in
      try write(logs)
      let run = Invocation("log", "stat", logs.container)
      #expect(run.status == .done)
      let sizes = try [alice, bob].map { peer in
        let log = logs.directory(of: peer) + "/log"
        let file = try FileManager.default.contentsOfDirectory(atPath: log)[0]
        return try Data(contentsOf: URL(filePath: "\(log)/\(file)")).count
      }
      #expect(
        run.output == """
          PEER                              NAME        TRANSACTIONS  INSERTS  UPDATES  DELETES  BYTES  SEGMENTS  FILE BYTES
          \(alice)  Laptop\\x1b             3        2        1        2     25         1         \(sizes[0])
          \(bob)                         1        1        0        0      4         1         \(sizes[1])

          TABLE   TRANSACTIONS  INSERTS  UPDATES  DELETES  BYTES
          pairs              1        1        0        0      5
          tracks             4        2        1        2     24

          DAY                   TRANSACTIONS  INSERTS  UPDATES  DELETES  BYTES
          1970-01-01 (adopted)             1        1        0        0     12
          2023-11-14                       2        2        1        1     16
          2023-11-16                       1        0        0        1      1

          TOTAL  TRANSACTIONS  INSERTS  UPDATES  DELETES  BYTES  SEGMENTS  FILE BYTES
                            4        3        1        2     29         2         \(sizes.reduce(0, +))

          """)
    }
  }

  @Test func `JSON has a line for each group`() throws {
    try withLogs { logs in
      try write(logs)
      let run = Invocation("log", "stat", "--json", "--by", "table,day", logs.container)
      #expect(
        run.lines == [
          #"{"by":{"table":"pairs","day":"2023-11-14"},"transactions":1,"inserts":1,"updates":0,"#
            + #""deletes":0,"bytes":5}"#,
          #"{"by":{"table":"tracks","day":"1970-01-01","adopted":true},"transactions":1,"#
            + #""inserts":1,"updates":0,"deletes":0,"bytes":12}"#,
          #"{"by":{"table":"tracks","day":"2023-11-14"},"transactions":2,"inserts":1,"updates":1,"#
            + #""deletes":1,"bytes":11}"#,
          #"{"by":{"table":"tracks","day":"2023-11-16"},"transactions":1,"inserts":0,"updates":0,"#
            + #""deletes":1,"bytes":1}"#,
        ])
      let schema = try JSONSchema(named: "log-stat")
      for line in run.lines { try schema.check(line) }
      let all = Invocation("log", "stat", "--json", logs.container)
      #expect(all.lines.count == 8)
      for line in all.lines { try schema.check(line) }
    }
  }

  @Test func `filters leave out what they say, and transactions without anything left`() throws {
    try withLogs { logs in
      try write(logs)
      let run = Invocation(
        "log", "stat", "--json", "--by", "peer", "--table", "pairs", logs.container)
      #expect(run.lines.count == 1)
      #expect(
        run.output.hasPrefix(
          #"{"by":{"peer":"\#(alice)"},"transactions":1,"inserts":1,"updates":0,"deletes":0,"#
            + #""bytes":5,"segments":1,"#))
      let none = Invocation("log", "stat", "--json", "--peer", "c", logs.container)
      #expect(
        none.output
          == #"{"by":{},"transactions":0,"inserts":0,"updates":0,"deletes":0,"bytes":0,"#
          + #""segments":0,"fileBytes":0}"# + "\n")
    }
  }

  @Test func `overlapping segments count each transaction once`() throws {
    try withSeeds(0..<20) { random in
      try withLogs { logs in
        let all = (1...20).map { Transaction($0) }
        try logs.write(all)
        for _ in 0..<random.number(0...6) {
          let first = random.number(0...19)
          try logs.write(Array(all[first...random.number(first...19)]))
        }
        let run = Invocation("log", "stat", "--json", "--by", "table", logs.container)
        try #require(
          run.output == #"{"by":{"table":"tracks"},"transactions":20,"inserts":20,"updates":0,"#
            + #""deletes":0,"bytes":339}"# + "\n")
      }
    }
  }

  @Test func `only whole transactions of a damaged file count`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let other = try logs.write([Transaction(1)], by: bob)
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = Invocation("log", "stat", "--json", "--by", "table", path, other)
        #expect(run.status == .damage)
        #expect(run.errors.hasPrefix("tributary: \(path): "))
        #expect((1...3).contains { run.output.contains("\"inserts\":\($0),") }, "\(run.output)")
      }
    }
  }
}
