import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryReplay
import TributaryTesting

/// Filters of logs whose tables and columns have had other names.
struct FormerNamesTests {
  private typealias Transaction = LogFixture.Transaction

  /// Has Alice's `peer.json` say what migrations have renamed.
  private func state(_ names: [String], in logs: LogFixture) throws {
    let manifest = PeerManifest(
      peer: LogFixture.alice, name: "", content: try ContentName(logs.contentName),
      sequence: .zero, receipt: Knowledge(),
      schema: ManifestSchema(id: "", tables: [], sql: [], migrations: [], names: names))
    let directory = logs.directory(of: LogFixture.alice)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(manifest.bytes).write(to: URL(filePath: directory + "/peer.json"))
  }

  private func songs(_ columns: String...) -> TableShape {
    TableShape(table: "songs", columns: columns, keys: [.init(column: 0)])
  }

  /// Returns content names and tables of what passes a filter for these tables.
  private func found(_ tables: [String], _ logs: LogFixture) throws -> [String] {
    let all = try LogSearch().logs(at: [logs.container])
    var filter = TransactionFilter()
    filter.tables = tables
    filter.followNames(beside: all)
    var found: [String] = []
    let segments = try LogSegments.read(all) { _ in }
    try LogWalk(segments, filter).run(
      report: { _ in },
      { transaction in
        while let (_, shape) = try transaction.nextChange() {
          found.append("\(transaction.contentName) \(shape.table)")
        }
      })
    return found.sorted()
  }

  @Test func `a renaming concerns the logs of its content name alone`() throws {
    try withLogs { logs in
      var logs = logs
      var others = LogFixture(container: logs.container, contentName: "Other")
      logs.moreShapes = [songs("id", "name")]
      others.moreShapes = logs.moreShapes
      for (fixture, peer) in [(logs, LogFixture.alice), (others, LogFixture.bob)] {
        try fixture.write(
          [
            Transaction(1, .insert(1, "a", 1.0)),
            Transaction(2, .insert(2, "b", into: fixture.moreShapes[0])),
          ], by: peer)
      }
      #expect(try found(["songs"], logs) == ["Library songs", "Other songs"])
      try state([#"rename "tracks" to "songs""#, "in words of a newer program"], in: logs)
      #expect(
        try found(["Songs"], logs) == ["Library songs", "Library tracks", "Other songs"])
      #expect(
        try found(["TRACKS"], logs) == ["Library songs", "Library tracks", "Other tracks"])
      #expect(try found(["pairs"], logs) == [])
    }
  }

  @Test func `a follower learns of a renaming that arrives`() throws {
    try withLogs { logs in
      var filter = TransactionFilter()
      filter.tables = ["songs"]
      let follower = LogFollower([logs.container])
      try follower.start(last: 0, filter)
      func arrived() throws -> [UInt64] {
        try follower.look { _ in }
        var found: [UInt64] = []
        try follower.forEachReady(filter, waiting: { _ in }) { transaction in
          if try transaction.nextChange() != nil {
            found.append(transaction.header.sequence.rawValue)
          }
        }
        return found
      }
      try logs.write([Transaction(1, .insert(1, "a", 1.0))])
      #expect(try arrived() == [])
      try state([#"rename "tracks" to "songs""#], in: logs)
      try logs.write([Transaction(2, .insert(2, "b", 1.0))])
      #expect(try arrived() == [2])
      // So does one that begins now.
      let later = LogFollower([logs.container])
      try later.start(last: 5, filter)
      var count = 0
      try later.forEachReady(filter, waiting: { _ in }) { _ in count += 1 }
      #expect(count == 2)
    }
  }

  @Test func `a column is known by its names in its table, whatever that is called`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, .insert(1, "a", 1.0))])
      try state(
        [
          #"rename "tracks" to "songs""#, #"rename "songs"."title" to "songs"."name""#,
          #"rename "songs"."name" to "songs"."heading""#,
        ], in: logs)
      var columns = ColumnFilter(["name"])
      columns.followNames(beside: try LogSearch().logs(at: [logs.container]))
      for column in ["title", "Name", "heading"] {
        for table in ["tracks", "songs"] {
          #expect(columns.includes(column, of: table, in: "Library"))
        }
      }
      #expect(!columns.includes("heading", of: "pairs", in: "Library"))
      #expect(!columns.includes("heading", of: "songs", in: "Other"))
      #expect(!columns.includes("length", of: "songs", in: "Library"))
    }
  }
}
