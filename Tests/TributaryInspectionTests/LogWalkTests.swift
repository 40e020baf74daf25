import Foundation
import Testing
import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryReplay
import TributaryTesting

/// Reading the transactions of logs, and selecting some of them.
struct LogWalkTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// Each transaction as `peer:sequence`, with the keys of its selected changes; and the damage.
  private func walk(
    _ logs: LogFixture, _ filter: TransactionFilter = TransactionFilter()
  ) throws -> (transactions: [String], damage: [LogFinding.Kind]) {
    var transactions: [String] = []
    var damage: [LogFinding.Kind] = []
    func note(_ finding: LogFinding) { damage.append(finding.kind) }
    let segments = try LogSegments.read(LogSearch().logs(at: [logs.container]), report: note)
    try LogWalk(segments, filter).run(report: note) { transaction in
      var keys: [String] = []
      while let (change, shape) = try transaction.nextChange() {
        var json = JSONWriter()
        json.key(try DecodedChange(change, shape).key)
        keys.append(json.text)
      }
      let name = "\(transaction.peer)".prefix(1)
      transactions.append(
        "\(name)\(transaction.header.sequence) \(keys.joined(separator: " "))")
    }
    return (transactions, damage)
  }

  @Test func `transactions come in order of their stamps, each once`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 10), Transaction(2, at: 30)])
      try logs.write([Transaction(2, at: 30), Transaction(3, at: 40)])
      try logs.write([Transaction(1, at: 20), Transaction(2, at: 50)], by: bob)
      let found = try walk(logs)
      #expect(found.transactions == ["a1 1", "b1 1", "a2 2", "a3 3", "b2 2"])
      #expect(found.damage == [])
    }
  }

  @Test func `both transactions of a fork are passed on`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, at: 10, .insert(1, "one", 1.5))])
      try logs.write([Transaction(1, at: 20, .insert(2, "two", 1.5))])
      #expect(try walk(logs).transactions == ["a1 1", "a1 2"])
    }
  }

  @Test func `another copy stands in for a damaged one`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      try logs.write([Transaction(1)])
      try logs.write([Transaction(2), Transaction(3)])
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count / 2] ^= 0xFF
      try bytes.write(to: URL(filePath: path))
      let found = try walk(logs)
      #expect(found.transactions == ["a1 1", "a2 2", "a3 3"])
      #expect(found.damage.count == 1)
    }
  }

  private static let filters: [(String, @Sendable (inout TransactionFilter) -> Void, [String])] = [
    ("everything", { _ in }, ["a1 1", "b1 1 5", "a2 2", "a3 [\"y\",\"x\"]"]),
    ("a peer", { $0.peerPrefixes = ["b0"] }, ["b1 1 5"]),
    (
      "several peers", { $0.peerPrefixes = ["b0", "a11c"] },
      ["a1 1", "b1 1 5", "a2 2", "a3 [\"y\",\"x\"]"]
    ),
    ("sequences", { $0.sequences = SequenceNumber(2)...SequenceNumber(2) }, ["a2 2"]),
    ("times", { $0.times = 20...30 }, ["b1 1 5", "a2 2"]),
    ("a table, in any case", { $0.tables = ["PAIRS"] }, ["a1 ", "b1 ", "a2 ", "a3 [\"y\",\"x\"]"]),
    (
      "a key, as a number or a text",
      { $0.keys = [KeyFilter([[.integer(5), .text(Array("5".utf8))]])] },
      ["a1 ", "b1 5", "a2 ", "a3 "]
    ),
    (
      "a key of two columns", { $0.keys = [KeyFilter([[.text([0x79])], [.text([0x78])]])] },
      ["a1 ", "b1 ", "a2 ", "a3 [\"y\",\"x\"]"]
    ),
  ]

  @Test(arguments: 0..<8)
  func `a filter selects transactions and changes`(index: Int) throws {
    let (name, change, expected) = Self.filters[index]
    try withLogs { logs in
      try logs.write([
        Transaction(1, at: 10), Transaction(2, at: 30),
        Transaction(3, at: 40, .insert("x", 0, "y", into: LogFixture.pairs)),
      ])
      try logs.write(
        [Transaction(1, at: 20, .insert(1, "one", 1.5), .update(5, "five", nil))], by: bob)
      var filter = TransactionFilter()
      change(&filter)
      #expect(try walk(logs, filter).transactions == expected, "\(name)")
    }
  }

  @Test(
    arguments: [
      ("a11C", "a11c"), ("0", "0"), ("", nil), ("g", nil), ("a 1", nil),
      (String(repeating: "f", count: 32), String(repeating: "f", count: 32)),
      (String(repeating: "f", count: 33), nil),
    ] as [(String, String?)])
  func `the first digits of a peer are hexadecimal`(text: String, expected: String?) {
    #expect(TransactionFilter.peerPrefix(text) == expected)
  }

  @Test(arguments: [
    (Collation.binary, "Ab ", false), (.nocase, "aB", true), (.nocase, "ab ", false),
    (.rtrim, "Ab  ", true), (.rtrim, "ab", false),
  ])
  func `keys are compared as their columns do`(collation: Collation, text: String, isEqual: Bool) {
    let filter = KeyFilter([[.text(Array("Ab".utf8))], [.integer(1)]])
    #expect(
      filter.includes([.text(Array(text.utf8)), .real(1)], [collation, .binary]) == isEqual)
  }
}
