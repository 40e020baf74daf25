import Foundation
import Testing
import TributaryCore
import TributaryInspection
import TributaryReplay
import TributaryTesting

/// Following logs while files arrive.
struct LogFollowerTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// `peer:sequence` of all that is ready.
  private func ready(
    _ follower: LogFollower, _ filter: TransactionFilter = TransactionFilter(),
    waiting: (Waiting) -> Void = { _ in }
  ) throws -> [String] {
    var names: [String] = []
    try follower.forEachReady(filter, waiting: waiting) { transaction in
      while try transaction.nextChange() != nil {}
      names.append("\("\(transaction.peer)".prefix(1))\(transaction.header.sequence)")
    }
    return names
  }

  private func look(_ follower: LogFollower) throws -> [String] {
    var reports: [String] = []
    try follower.look { reports.append("\($0.path): \($0.message)") }
    return reports
  }

  @Test(arguments: [
    (0, []), (1, ["a3"]), (3, ["b2", "a2", "a3"]), (nil, ["b1", "a1", "b2", "a2", "a3"]),
  ])
  func `the last transactions are shown first`(count: Int?, expected: [String]) throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 20), Transaction(2, at: 40)])
      try logs.write([Transaction(2, at: 40), Transaction(3, at: 50)])
      try logs.write([Transaction(1, at: 10), Transaction(2, at: 30)], by: bob)
      let follower = LogFollower([logs.container])
      try follower.start(last: count, TransactionFilter())
      #expect(try ready(follower) == expected)
      #expect(try ready(follower) == [])
    }
  }

  @Test func `the last ones are those that pass the filter`() throws {
    try withLogs { logs in
      for sequence: UInt64 in 1...100 {
        try logs.write([
          sequence % 40 == 0
            ? Transaction(sequence, .delete("a", "b", from: LogFixture.pairs))
            : Transaction(sequence)
        ])
      }
      var filter = TransactionFilter()
      filter.tables = ["pairs"]
      let follower = LogFollower([logs.container])
      try follower.start(last: 2, filter)
      var names: [SequenceNumber] = []
      try follower.forEachReady(filter, waiting: { _ in }) { transaction in
        if try transaction.nextChange() != nil { names.append(transaction.header.sequence) }
      }
      #expect(names.map(\.rawValue) == [40, 80])
    }
  }

  @Test func `a transaction waits for what it knew`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      let follower = LogFollower([logs.container])
      try follower.start(last: 0, TransactionFilter())
      #expect(try ready(follower) == [])
      try logs.write([Transaction(3, knows: [bob: 1])])
      var notes: [Waiting] = []
      #expect(try look(follower) == [])
      for _ in 0..<2 { #expect(try ready(follower) { notes.append($0) } == []) }
      #expect(notes.count == 1)
      #expect(notes[0].sequence == SequenceNumber(3))
      #expect(notes[0].reason == .transaction(peer: alice, sequence: SequenceNumber(2)))
      try logs.write([Transaction(2)])
      #expect(try look(follower) == [])
      #expect(try ready(follower) { notes.append($0) } == ["a2"])
      #expect(notes.count == 1)
      try logs.write([Transaction(1)], by: bob)
      #expect(try look(follower) == [])
      #expect(try ready(follower) == ["b1", "a3"])
    }
  }

  @Test func `what was missing at the start is not waited for, and shown when it comes`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1), Transaction(2, knows: [bob: 3])])
      try logs.write([Transaction(5, knows: [bob: 3])])
      let follower = LogFollower([logs.container])
      try follower.start(last: 1, TransactionFilter())
      #expect(try ready(follower) == ["a5"])
      try logs.write([Transaction(6, knows: [bob: 3])])
      try logs.write([Transaction(4, knows: [bob: 3])])
      #expect(try look(follower) == [])
      #expect(try ready(follower) == ["a4", "a6"])
      try logs.write([Transaction(2)], by: bob)
      #expect(try look(follower) == [])
      #expect(try ready(follower) == ["b2"])
    }
  }

  @Test func `with the directory of a peer, nobody else is waited for`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      for path in [logs.directory(of: alice), logs.directory(of: alice) + "/log"] {
        let follower = LogFollower([path])
        try follower.start(last: 0, TransactionFilter())
        let new = try logs.write([Transaction(2, knows: [bob: 7])])
        #expect(try look(follower) == [])
        #expect(try ready(follower) == ["a2"])
        try FileManager.default.removeItem(atPath: new)
      }
    }
  }

  @Test func `a torn file is reported once, and read when it has changed`() throws {
    try withLogs { logs in
      let first = try logs.write([Transaction(1)])
      let path = try logs.write([Transaction(2), Transaction(3)])
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        // There from the start, or arriving.
        for isThere in [false, true] {
          try? FileManager.default.removeItem(atPath: path)
          let follower = LogFollower([logs.container])
          if isThere { try bytes.prefix(count).write(to: URL(filePath: path)) }
          try follower.start(last: 1, TransactionFilter())
          #expect(try ready(follower) == ["a1"], "\(count)")
          if !isThere {
            try bytes.prefix(count).write(to: URL(filePath: path))
            #expect(try look(follower) == [])
            #expect(try ready(follower) == [])
          }
          #expect(follower.hasArriving)
          let reports = try look(follower)
          #expect(reports.count == 1 && reports[0].hasPrefix("\(path): "), "\(reports)")
          #expect(try ready(follower) == [])
          #expect(try look(follower) == [])
          try bytes.write(to: URL(filePath: path))
          #expect(try look(follower) == [])
          #expect(try ready(follower) == ["a2", "a3"])
        }
      }
      #expect(FileManager.default.fileExists(atPath: first))
    }
  }

  @Test func `in whatever order files come, each transaction is shown once, after its causes`()
    throws
  {
    try withSeeds(0..<150) { random in
      try withLogs { source in
        let peers = (1...3).map { PeerIdentity(high: UInt64($0), low: 0) }
        var written: [PeerIdentity: [Transaction]] = [:]
        var knowledge: [PeerIdentity: [PeerIdentity: UInt64]] = [:]
        for time in 1...40 as ClosedRange<UInt64> {
          let peer = random.pick(peers)
          let other = random.pick(peers.filter { $0 != peer })
          if random.once(in: 2), let last = written[other]?.last {
            var known = knowledge[peer] ?? [:]
            known[other] = last.sequence
            for (third, sequence) in last.knowledge where third != peer {
              known[third] = max(known[third] ?? 0, sequence)
            }
            knowledge[peer] = known
          }
          let sequence = UInt64((written[peer]?.count ?? 0) + 1)
          written[peer, default: []].append(
            Transaction(sequence, at: time, knows: knowledge[peer] ?? [:]))
        }
        // Cut in any way, and overlapping.
        var files: [String] = []
        for (peer, transactions) in written.sorted(by: { $0.key < $1.key }) {
          var start = 0
          while start < transactions.count {
            let end = random.number(start...min(start + 4, transactions.count - 1))
            files.append(try source.write(Array(transactions[start...end]), by: peer))
            start = end + 1
          }
          for _ in 0..<random.number(0...3) {
            let start = random.number(0...transactions.count - 1)
            let end = random.number(start...transactions.count - 1)
            files.append(try source.write(Array(transactions[start...end]), by: peer))
          }
        }
        try withLogs { logs in
          try FileManager.default.createDirectory(
            atPath: logs.content, withIntermediateDirectories: true)
          let follower = LogFollower([logs.container])
          try follower.start(last: nil, TransactionFilter())
          var shown: Set<String> = []
          func show() throws {
            _ = try look(follower)
            try follower.forEachReady(TransactionFilter(), waiting: { _ in }) { transaction in
              let sequence = transaction.header.sequence.rawValue
              for entry in transaction.header.knowledge.entries {
                for known in 1...entry.sequence.rawValue {
                  try #require(shown.contains("\(entry.peer):\(known)"))
                }
              }
              try #require(sequence == 1 || shown.contains("\(transaction.peer):\(sequence - 1)"))
              try #require(shown.insert("\(transaction.peer):\(sequence)").inserted)
            }
          }
          for path in Set(files).sorted().shuffled(using: &random) {
            let target = logs.container + path.dropFirst(source.container.count)
            try FileManager.default.createDirectory(
              atPath: URL(filePath: target).deletingLastPathComponent().path,
              withIntermediateDirectories: true)
            if random.once(in: 3) {
              // Cut off first, or only as long as it had been before it vanished.
              let bytes = try Data(contentsOf: URL(filePath: path))
              try bytes.prefix(random.number(0...bytes.count - 1)).write(to: URL(filePath: target))
              try show()
              try FileManager.default.removeItem(atPath: target)
              if random.once(in: 2) { try show() }
            }
            try FileManager.default.copyItem(atPath: path, toPath: target)
            if random.once(in: 2) { try show() }
          }
          try show()
          try #require(shown.count == 40)
        }
      }
    }
  }
}
