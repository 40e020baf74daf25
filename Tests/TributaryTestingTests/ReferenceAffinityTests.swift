import Testing
import TributaryCore
import TributaryTesting

struct ReferenceAffinityTests {
  private static let spellings = [
    "", " ", "5", "-5", "+5", " 5 ", "\t5\r", "5 5", "5.", ".5", ".", "-.", "5.5", "5e1", "5e",
    "5e+", "5e-2",
    "5.e1", ".e1", "0x10", "1_0", "inf", "nan", "--5", "9223372036854775807", "9223372036854775808",
    "5a", "a5",
    "00.50", "1e400", "\u{a0}5", "５",
  ]

  @Test func `a text is the number that SQLite takes it for`() throws {
    let database = try Database(
      schema: ReferenceSchema(tables: []), createStatements: ["CREATE TABLE t (n NUMERIC)"])
    func check(_ bytes: [UInt8]) throws {
      _ = try database.run("DELETE FROM t")
      _ = try database.run("INSERT INTO t VALUES (?)", [.text(bytes)])
      let number = ReferenceAffinity.number(bytes)
      let isNumber = try database.run("SELECT typeof(n) <> 'text' FROM t") == [[1]]
      #expect(isNumber == (number != nil), "\(Value.text(bytes).literal)")
      if let number {
        #expect(
          try database.run("SELECT n = ? FROM t", [number]) == [[1]], "\(Value.text(bytes).literal)"
        )
      }
    }
    for spelling in Self.spellings { try check(Array(spelling.utf8)) }
    try withSeeds(0..<1) { generator in
      for _ in 0..<3_000 {
        let length = Int.random(in: 0...6, using: &generator)
        try check((0..<length).map { _ in "0159.eE+- \t\n".utf8.randomElement(using: &generator)! })
      }
    }
  }
}
