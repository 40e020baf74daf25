import Testing
import TributaryCore
import TributaryInspection
import TributaryReplay
import TributaryTesting

/// What happened between two moments, and who wrote what there is.
struct MomentDifferenceTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// Alice writes three rows, changes one and deletes one; Bob, who knows all of that, adds a fourth.
  private func withHistory(_ body: (LogFixture) throws -> Void) throws {
    try withLogs { logs in
      try logs.write([
        Transaction(
          1, at: 10, .insert(1, "one", 1.5), .insert(2, "two", 2.5), .insert(3, "three", 3.5)),
        Transaction(2, at: 20, .update(2, "TWO", nil), .delete(3)),
      ])
      try logs.write([Transaction(1, at: 30, knows: [alice: 2], .insert(4, "four", 4.5))], by: bob)
      try body(logs)
    }
  }

  private func store(_ logs: LogFixture, _ moment: Moment?) throws -> MomentStore {
    try MomentStore(
      LogSearch().logs(at: [logs.container]), at: moment,
      report: { Issue.record("\($0.path): \($0.message)") })
  }

  private func difference(
    _ logs: LogFixture, _ earlier: Moment?, _ later: Moment?,
    _ filter: TransactionFilter = TransactionFilter()
  ) throws -> [String] {
    let before = try store(logs, earlier)
    defer { before.remove() }
    let after = try store(logs, later)
    defer { after.remove() }
    var rows: [String] = []
    try MomentDifference(from: before, to: after).forEachRow(filter) { row in
      let columns = row.columns.map { "\($0.name) \(text($0.before))>\(text($0.after))" }
      rows.append(
        "\(row.operation) \(row.key.map(text).joined(separator: ",")): \(columns.joined(separator: ", "))"
      )
    }
    return rows
  }

  private func text(_ value: Value?) -> String {
    guard let value else { return "" }
    var json = JSONWriter()
    json.value(value)
    return json.text
  }

  @Test func `rows that were changed, deleted and added differ`() throws {
    try withHistory { logs in
      let start = Moment.time(milliseconds: 10)
      let all = try difference(logs, start, nil)
      #expect(
        all == [
          #"update 2: title "two">"TWO""#,
          #"delete 3: id 3>, title "three">, length 3.5>"#,
          #"insert 4: id >4, title >"four", length >4.5"#,
        ])
      let none = try difference(logs, nil, nil)
      #expect(none == [])
      var filter = TransactionFilter()
      filter.keys = [KeyFilter([[.integer(3)]])]
      let third = try difference(logs, .beginning, start, filter)
      #expect(third == [#"insert 3: id >3, title >"three", length >3.5"#])
      let gone = try difference(logs, .beginning, nil, filter)
      #expect(gone == [])
    }
  }

  @Test func `the moment of a transaction has what its author knew`() throws {
    try withHistory { logs in
      let first = try difference(logs, Moment("a11:1"), .time(milliseconds: 19))
      #expect(first == [])
      let last = try difference(logs, Moment("b0:1"), nil)
      #expect(last == [])
      for unknown in ["a11:9", "c:1"] {
        #expect(throws: InspectionError.self) {
          _ = try difference(logs, Moment(unknown), nil)
        }
      }
    }
  }

  @Test func `each cell is of the transaction that wrote it last`() throws {
    try withHistory { logs in
      let store = try self.store(logs, nil)
      defer { store.remove() }
      var cells: [String] = []
      try Blame(of: store).forEachRow { row in
        for cell in row.cells {
          let author = try #require(cell.author)
          cells.append(
            "\(row.key.map(text).joined()) \(cell.column) \("\(author.peer)".prefix(1))\(author.sequence)"
          )
        }
      }
      #expect(
        cells == [
          "1 id a1", "1 title a1", "1 length a1", "2 id a1", "2 title a2", "2 length a1",
          "4 id b1", "4 title b1", "4 length b1",
        ])
    }
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:01Z", Moment.time(milliseconds: 1000)), ("250", .time(milliseconds: 250)),
      ("A1:7", .transaction(peerPrefix: "a1", SequenceNumber(7))), ("a1:0", nil), (":7", nil),
      ("x:7", nil), ("a1:7:8", nil), ("", nil), ("a1:18446744073709551615", nil),
    ] as [(String, Moment?)])
  func `a moment is a time or a transaction`(text: String, expected: Moment?) {
    #expect(Moment(text) == expected)
  }
}
