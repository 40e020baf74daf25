import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryTesting

struct LogVerifyTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  private func verify(_ path: String) -> Invocation { Invocation("log", "verify", path) }

  @Test func `good logs have no damage`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(3)])
      try logs.write([Transaction(1, knows: [alice: 1], .delete(1))], by: bob)
      let run = verify(logs.container)
      #expect(run.status == .done)
      #expect(run.output == "2 peers, 3 segments, 4 transactions: no damage\n")
      #expect(run.errors.isEmpty)
      #expect(Invocation("log", "verify", "-q", logs.container).output.isEmpty)
      #expect(Invocation("log", "verify", "--json", logs.container).output.isEmpty)
    }
  }

  @Test func `every truncation is damage`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = verify(logs.container)
        #expect(run.status == .damage)
        #expect(run.lines[0].hasPrefix("\(path): truncated: "))
      }
    }
  }

  @Test func `every changed byte is damage`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let bytes = try Data(contentsOf: URL(filePath: path))
      for index in 0..<bytes.count {
        var changed = bytes
        changed[index] ^= 0x20
        try changed.write(to: URL(filePath: path))
        let run = Invocation("log", "verify", "--json", logs.container)
        #expect(run.status == .damage, "byte \(index)")
        for line in run.lines { try JSONSchema(named: "log-verify").check(line) }
      }
    }
  }

  @Test func `a large file is held to its name, to its end, and to what is in it`() throws {
    try withLogs { logs in
      // Letters that LZ4 does not shorten.
      var random = SeededGenerator(seed: 3)
      let letters = random.bytes(count: 1_300_000).map { 32 + $0 % 95 }
      let transaction = Transaction(1, .insert(1, .text(letters), 1.5))
      let right = try logs.write([transaction])
      #expect(try Data(contentsOf: URL(filePath: right)).count > 1 << 20)
      #expect(verify(logs.container).status == .done)
      let wrong = try logs.write(
        [transaction], named: "0000000000000001-0000000000000001-0000000000000000.lz4")
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(run.lines[0].hasPrefix("\(wrong): its contents have the hash "))
      #expect(run.lines[1] == "1 peer, 2 segments, 1 transaction: 1 damaged")
      try FileManager.default.removeItem(atPath: wrong)
      let bytes = try Data(contentsOf: URL(filePath: right))
      for (damaged, message) in [
        (bytes.dropLast(1), "truncated: "), (bytes.prefix(1 << 20), "truncated: "),
        (
          bytes.prefix(1 << 19) + [bytes[1 << 19] ^ 1] + bytes.dropFirst((1 << 19) + 1), "damaged: "
        ),
      ] {
        try Data(damaged).write(to: URL(filePath: right))
        let run = verify(logs.container)
        #expect(run.status == .damage)
        #expect(run.lines[0].hasPrefix("\(right): \(message)"), "\(run.lines[0].prefix(300))")
      }
    }
  }

  @Test func `a file that is not what its name says is damage`() throws {
    try withLogs { logs in
      let range = "0000000000000001-0000000000000001"
      let path = try logs.write([Transaction(1)], named: "\(range)-0000000000000000.lz4")
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(run.lines[0].hasPrefix("\(path): its contents have the hash "))
      #expect(run.lines[1] == "1 peer, 1 segment, 1 transaction: 1 damaged")
    }
    try withLogs { logs in
      let right = try logs.write([Transaction(1)])
      let hash = right.dropLast(4).suffix(16)
      let wrong = try logs.write(
        [Transaction(1)], named: "0000000000000001-0000000000000002-\(hash).lz4")
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(run.lines[0] == "\(wrong): holds the transactions 1 to 1")
    }
    try withLogs { logs in
      let path = try logs.write([Transaction(1)], by: bob, in: alice)
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(run.lines[0] == "\(path): is by the peer \(bob)")
    }
    try withLogs { logs in
      try logs.write([Transaction(1)])
      var other = logs
      other.contentName = "Other"
      let foreign = try other.write([Transaction(1)], by: bob)
      let place = logs.directory(of: bob) + "/log"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let moved = place + "/" + URL(filePath: foreign).lastPathComponent
      try FileManager.default.moveItem(atPath: foreign, toPath: moved)
      let run = verify(logs.content)
      #expect(run.status == .damage)
      #expect(
        run.lines[0] == #"\#(moved): belongs to the content name "Other", others here to "Library""#
      )
    }
  }

  @Test func `copies of transactions may overlap in any way`() throws {
    try withSeeds(0..<20) { random in
      try withLogs { logs in
        let all = (1...20).map { Transaction($0) }
        try logs.write(all)
        for _ in 0..<4 {
          let first = random.number(0...19)
          try logs.write(Array(all[first...random.number(first...19)]))
        }
        try #require(verify(logs.container).status == .done)
      }
    }
  }

  @Test(arguments: [
    LogFixture.Transaction(2, at: 1_700_000_002_001),
    LogFixture.Transaction(2, .delete(2)),
    LogFixture.Transaction(2, knows: [LogFixture.bob: 1]),
    LogFixture.Transaction(2, basis: [LogFixture.bob: 1]),
  ])
  func `two transactions under one sequence are a fork`(
    other: LogFixture.Transaction
  ) throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 1, .delete(1))], by: bob)
      let one = try logs.write([Transaction(1), Transaction(2), Transaction(3)])
      let two = try logs.write([Transaction(1), other, Transaction(3, knows: other.knowledge)])
      let run = verify(logs.container)
      #expect(run.status == .damage)
      let pairs = [(one, two), (two, one)].map {
        "\($0): fork: its transaction 2 is not the one in \($1)"
      }
      #expect(run.lines.filter(pairs.contains).count == 1)
      #expect(run.lines.filter { $0.contains("fork") }.count == 1)
    }
  }

  @Test func `what is missing is told, and is no damage`() throws {
    try withLogs { logs in
      try logs.write([Transaction(3), Transaction(4)])
      try logs.write([Transaction(6, knows: [bob: 9])])
      let run = verify(logs.container)
      #expect(run.status == .done)
      #expect(
        run.lines == [
          "gap: transactions 1 to 2 of \(alice) not here",
          "gap: transaction 5 of \(alice) not here",
          "gap: \(bob) not here up to transaction 9, which \(alice) knew",
          "1 peer, 2 segments, 3 transactions: no damage",
        ])
      #expect(Invocation("log", "verify", "--json", logs.container).output.isEmpty)
    }
  }

  @Test func `an effect before its cause is damage`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1, at: 100)])
      try logs.write([Transaction(1, at: 50, knows: [alice: 1])], by: bob)
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(
        run.lines[0] == "\(path): transaction 1 is later than transaction 1 of \(bob), "
          + "which was made with knowledge of it")
    }
  }

  @Test func `times that go back are damage`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 100)])
      let path = try logs.write([Transaction(2, at: 99)])
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(run.lines[0] == "\(path): transaction 2 is not later than transaction 1")
    }
  }

  @Test func `what one mistake contradicts again and again is one line`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1, at: 100), Transaction(2, at: 101)])
      try logs.write([Transaction(3, at: 102), Transaction(4, at: 200)])
      try logs.write(
        [
          Transaction(1, at: 50, knows: [alice: 1]), Transaction(2, at: 51, knows: [alice: 2]),
          Transaction(3, at: 52, knows: [alice: 3]),
        ], by: bob)
      let run = verify(logs.container)
      #expect(run.status == .damage)
      #expect(
        run.lines == [
          "\(path): transactions 1 to 3 are later than transactions of \(bob), which were made with "
            + "knowledge of them",
          "2 peers, 3 segments, 7 transactions: 1 damaged",
        ])
    }
  }
}
