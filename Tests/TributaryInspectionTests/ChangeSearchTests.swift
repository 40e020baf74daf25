import Testing
import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryReplay
import TributaryTesting

/// Looking for values in changes.
struct ChangeSearchTests {
  private static func fixed(_ text: String, ignoringCase: Bool = false) -> ValuePattern {
    .fixed(text, ignoringCase: ignoringCase)
  }

  /// Returns the names of the columns that match, in the changes of the fixture.
  private func matches(_ pattern: ValuePattern, columns: [String] = []) throws -> [[String]] {
    var all: [[String]] = []
    try withLogs { logs in
      try logs.write([
        .init(
          1, .insert(17, "Nightfall", 3.5), .update(18, nil, .null), .delete(19),
          .insert("b17", .blob([0x4e, 0x69]), "night", into: LogFixture.pairs))
      ])
      var search = ChangeSearch(pattern, columns: ColumnFilter(columns))
      let segments = try LogSegments.read(LogSearch().logs(at: [logs.container])) { _ in }
      try LogWalk(segments).run(report: { _ in }) { transaction in
        var columns: [Int] = []
        while let (change, shape) = try transaction.nextChange() {
          if try search.matches(change, shape, in: transaction.contentName, &columns) {
            all.append(columns.map { shape.columns[$0] })
          }
        }
      }
    }
    return all
  }

  @Test func `a text is found within texts, blobs and the digits of numbers`() throws {
    #expect(try matches(Self.fixed("Ni")) == [["title"], ["v"]])
    #expect(try matches(Self.fixed("night", ignoringCase: true)) == [["title"], ["b"]])
    #expect(try matches(Self.fixed("17")) == [["id"], ["a"]])
    #expect(try matches(Self.fixed(".5")) == [["length"]])
    #expect(try matches(Self.fixed("absent")) == [])
  }

  @Test func `a regular expression is found within a value`() throws {
    #expect(
      try matches(.expression("^1[89]$", ignoringCase: false)) == [["id"], ["id"]])
    #expect(
      try matches(.expression("FALL|GHT$", ignoringCase: true)) == [["title"], ["b"]])
    #expect(throws: PatternError.self) { try ValuePattern.expression("(", ignoringCase: false) }
  }

  @Test func `a whole value is found as what it is`() throws {
    #expect(try matches(.whole([.null], ignoringCase: false)) == [["length"]])
    #expect(try matches(.whole([.real(17)], ignoringCase: false)) == [["id"]])
    #expect(try matches(.whole([.blob([0x4e, 0x69])], ignoringCase: false)) == [["v"]])
    #expect(
      try matches(.whole([.text(Array("NIGHT".utf8))], ignoringCase: true)) == [["b"]])
  }

  @Test func `an empty pattern matches every change, and names no column`() throws {
    #expect(try matches(Self.fixed("")) == [[], [], [], []])
  }

  @Test func `only the named columns are looked at, in any case of their letters`() throws {
    #expect(try matches(Self.fixed("i"), columns: ["TITLE"]) == [["title"]])
    #expect(try matches(Self.fixed("1"), columns: ["title", "b"]) == [])
    #expect(try matches(.everything, columns: ["A"]) == [["a"]])
  }

  @Test(arguments: [
    ("fall", false, 5..<9), ("FALL", true, 5..<9), ("FALL", false, nil), ("t", false, 4..<5),
  ])
  func `the first match is at its place`(text: String, ignoringCase: Bool, expected: Range<Int>?)
    throws
  {
    let bytes = Array("Nightfall".utf8)
    for pattern in [
      Self.fixed(text, ignoringCase: ignoringCase),
      try .expression(text, ignoringCase: ignoringCase),
    ] {
      #expect(try bytes.withUnsafeBytes { try pattern.firstMatch(in: $0) } == expected)
    }
  }
}
