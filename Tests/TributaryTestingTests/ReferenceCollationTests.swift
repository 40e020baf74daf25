import Testing
import TributaryCore
import TributaryTesting

struct ReferenceCollationTests {
  static let values: [Value] = [
    0, 1, 1.0, 1.5, -0.0, 0.0, .integer(.max), .integer(.max - 1), 9_223_372_036_854_775_808.0,
    .integer(.min), -9_223_372_036_854_775_808.0, .integer(1 << 53 + 1), 9_007_199_254_740_992.0,
    .integer(1 << 53), .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude),
    "", " ", "a", "A", "a ", "A  ", "a\t", " a", "\0", "\0 ", "a\0b", "A\0c", "a\0bc", "a\0",
    "a\0 ",
    "é", "É", "[", "{", "@", "`", "1", "1.0", "Z", "z", .text([0xFF]), .text([0xDF]),
    .blob([]), .blob([97]), .blob([65]), .blob([97, 32]),
  ]

  @Test(arguments: ReferenceCollation.allCases)
  func `two values are one key exactly when SQLite takes them for equal`(
    collation: ReferenceCollation
  ) throws {
    let database = try Database(schema: ReferenceSchema(tables: []), createStatements: [])
    for a in Self.values {
      for b in Self.values {
        let equal = try database.run("SELECT ? = ? COLLATE \(collation.rawValue)", [a, b])
        #expect(
          (equal == [[1]]) == (collation.canonical(a) == collation.canonical(b)),
          "\(a.literal) and \(b.literal)")
      }
    }
  }
}
