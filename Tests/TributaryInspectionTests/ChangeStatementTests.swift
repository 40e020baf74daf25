import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryTesting

/// Changes as SQL statements.
struct ChangeStatementTests {
  private static let shape = TableShape(
    table: "odd \"table", columns: ["k", "v"], keys: [.init(column: 0)])

  private static func sql(
    _ changes: [LogFixture.Change], _ declarations: MergeDeclarations? = nil
  ) throws -> String {
    var sql: [UInt8] = []
    try withLogs { logs in
      var logs = logs
      logs.moreShapes = [shape]
      var transaction = LogFixture.Transaction(1)
      transaction.changes = changes
      try logs.write([transaction])
      let segments = try LogSegments.read(LogSearch().logs(at: [logs.container])) { _ in }
      let statement = ChangeStatement(declarations)
      try LogWalk(segments).run(report: { _ in }) { transaction in
        while let (change, shape) = try transaction.nextChange() {
          try statement.append(change, StatementTable(shape), to: &sql)
        }
      }
    }
    return String(decoding: sql, as: UTF8.self)
  }

  @Test func `each change is one statement with quoted names`() throws {
    #expect(
      try Self.sql([
        .insert("a", 1, into: Self.shape), .update("a", 2, of: Self.shape),
        .update("a", nil, of: Self.shape), .delete("a", from: Self.shape),
      ])
        == #"""
        INSERT INTO "odd ""table" ("k", "v") VALUES ('a', 1) ON CONFLICT ("k") DO UPDATE SET "k" = excluded."k", "v" = excluded."v";
        UPDATE "odd ""table" SET "v" = 2 WHERE "odd ""table"."k" IS 'a';
        DELETE FROM "odd ""table" WHERE "odd ""table"."k" IS 'a';

        """#)
  }

  @Test(arguments: [
    ("counter", #"SET "title" = coalesce("title", 0) + (7)"#),
    ("max", #"SET "title" = coalesce(max("title", 7), "title", 7)"#),
    ("min", #"SET "title" = coalesce(min("title", 7), "title", 7)"#),
    ("a policy of a later version", #"SET "title" = 7"#),
  ])
  func `an update of a column with a policy does what the policy says`(
    policy: String, expected: String
  ) throws {
    let declarations = MergeDeclarations(
      ManifestSchema(
        id: "", tables: [], sql: [], migrations: [],
        merge: ["Tracks": ManifestMerge(columns: ["TITLE": policy])]))
    #expect(
      try Self.sql([.update(1, 7, nil)], declarations)
        == #"UPDATE "tracks" \#(expected) WHERE "tracks"."id" IS 1;"# + "\n")
  }

  /// Values that a decimal, a quote or a NUL could change.
  private static let values: [Value] = [
    .null, .integer(.min), .integer(.max), .real(0.1), .real(-0.0), .real(1e300),
    .real(.leastNonzeroMagnitude),
    .real(.leastNormalMagnitude), .real(.infinity), .real(-.infinity), .real(1.0 / 3),
    .real(123_456_789.123_456_79), .real(1e15), .text([]), .text(Array("it's".utf8)),
    .text([0x61, 0, 0x62]), .text([0xFF, 0x27]), .blob([]), .blob([0, 0x27, 0xFF]),
  ]

  @Test func `values read back to the bit`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    defer { connection.close() }
    try connection.execute(#"CREATE TABLE "odd ""table" (k PRIMARY KEY, v)"#)
    for (number, value) in Self.values.enumerated() {
      try connection.execute(
        Self.sql([.insert(.integer(Int64(number)), value, into: Self.shape)]))
    }
    let statement = try connection.prepare(#"SELECT v FROM "odd ""table" ORDER BY k"#)
    for value in Self.values {
      try #require(try statement.step())
      let found = statement.values[0]
      #expect(found.hasSameBits(as: value) || value == .real(-0.0), "\(found) for \(value)")
    }
  }
}
