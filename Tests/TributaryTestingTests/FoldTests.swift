import Testing
import TributaryCore
import TributaryTesting

struct FoldTests {
  static let schema = ReferenceSchema(tables: [
    ReferenceTable(
      name: "t",
      columns: [ReferenceColumn("k"), ReferenceColumn("a", default: 7), ReferenceColumn("b")],
      keyColumns: [ReferenceKeyColumn("k", collation: .nocase)])
  ])

  static func transaction(_ time: UInt64, peer: UInt64 = 1, _ changes: ReferenceChange...)
    -> ReferenceTransaction
  {
    ReferenceTransaction(
      stamp: Stamp(
        time: HybridTime(milliseconds: time, counter: 0), peer: PeerIdentity(high: peer, low: 0)),
      sequence: SequenceNumber(time), knowledge: Knowledge(), changes: changes)
  }

  static func insert(_ key: Value, _ values: [String: Value] = [:]) -> ReferenceChange {
    ReferenceChange(.insert, table: "t", key: [key], values: values)
  }
  static func update(_ key: Value, _ values: [String: Value]) -> ReferenceChange {
    ReferenceChange(.update, table: "t", key: [key], values: values)
  }
  static func delete(_ key: Value) -> ReferenceChange {
    ReferenceChange(.delete, table: "t", key: [key])
  }

  static func rows(_ rows: ReferenceContents.Row...) -> ReferenceContents {
    var contents = ReferenceContents()
    for row in rows { contents.insert(row, into: schema["t"]) }
    return contents
  }

  static func fold(_ transactions: ReferenceTransaction...) -> ReferenceContents {
    TributaryTesting.fold(transactions.reversed(), schema: schema)
  }

  @Test func `columns an insert does not name take their defaults in a new row`() {
    #expect(
      Self.fold(Self.transaction(1, Self.insert("x"))) == Self.rows(["k": "x", "a": 7, "b": .null]))
  }

  @Test func `columns an insert does not name stay in a living row`() {
    let folded = Self.fold(
      Self.transaction(1, Self.insert("x", ["a": 1, "b": 2])),
      Self.transaction(2, Self.insert("X", ["b": 3])))
    #expect(folded == Self.rows(["k": "X", "a": 1, "b": 3]))
  }

  @Test func `columns an insert does not name take their defaults in a row that had died`() {
    let folded = Self.fold(
      Self.transaction(1, Self.insert("x", ["a": 1, "b": 2])),
      Self.transaction(2, Self.delete("X")), Self.transaction(3, Self.insert("x", ["b": 3])))
    #expect(folded == Self.rows(["k": "x", "a": 7, "b": 3]))
  }

  @Test func `an update does nothing to a dead or unknown row`() {
    let folded = Self.fold(
      Self.transaction(1, Self.insert("x"), Self.update("y", ["a": 1])),
      Self.transaction(2, Self.delete("x")), Self.transaction(3, Self.update("x", ["a": 2])))
    #expect(folded == ReferenceContents())
  }

  @Test
  func `the later stamp wins each column for itself, and the peer decides between equal times`() {
    let folded = Self.fold(
      Self.transaction(1, Self.insert("x")),
      Self.transaction(2, peer: 1, Self.update("x", ["a": 1, "b": 1])),
      Self.transaction(2, peer: 2, Self.update("x", ["a": 2])))
    #expect(folded == Self.rows(["k": "x", "a": 2, "b": 1]))
  }

  @Test func `contents are equal only to the bit`() {
    let zero = Self.rows(["k": "x", "a": 0.0, "b": 1])
    #expect(zero != Self.rows(["k": "x", "a": -0.0, "b": 1]))
    #expect(zero != Self.rows(["k": "x", "a": 0.0, "b": 1.0]))
    #expect(
      zero.difference(from: Self.rows(["k": "x", "a": -0.0, "b": 1]))
        == ["t ('x').a: 0.0, expected -0.0"])
    #expect(
      zero.difference(from: ReferenceContents()) == ["t ('x'): unexpected a = 0.0, b = 1, k = 'x'"])
    #expect(
      ReferenceContents().difference(from: zero) == ["t ('x'): missing a = 0.0, b = 1, k = 'x'"])
  }
}
