import Testing
import TributaryContainer
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// A device that has not dropped what the others have, and has lost the only baseline with it.
struct LostDroppedColumnTests {
  @Test(arguments: [false, true])
  func `is found by an examination, and the remedy brings the baseline back`(
    writesMore: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet()
      try fleet["a"].store.migrate([
        Migration(name: "1", sql: HorizonFleet.schema),
        Migration(name: "2", sql: "-- tributary: drop t.v\nALTER TABLE t DROP COLUMN v"),
      ])
      try fleet.meet()
      for _ in 0..<2 {
        _ = try fleet["a"].writeBaseline()
        try fleet.meet("b", "a")
      }
      if writesMore {
        try fleet.write("INSERT INTO t VALUES (2)", on: "a")
        try fleet.write("INSERT INTO t VALUES (3, 'three')", on: "b")
        try fleet.meet()
      }
      func found() throws -> [Finding] {
        try Engine.diagnose(store: fleet.devices.path("b"), environment: fleet.environment)
          .filter { $0.code == .baselineMissing }
      }
      #expect(try found().isEmpty)
      let baselines = try BaselineStore(
        fleet.directory, peer: fleet.peer("b"), using: LocalFileSystem())
      for name in try baselines.names() { try baselines.remove(name) }
      let findings = try found()
      #expect(findings.count == 1)
      #expect(findings.allSatisfy { $0.explanation.contains("column v of table t") })
      #expect(findings.allSatisfy { $0.remedy.contains("writes this store's own baseline anew") })
      do {
        _ = try fleet["b"].writeBaseline()
      } catch let error as SyncError {
        #expect(writesMore && error.remedy.contains("on the other devices, then here"), "\(error)")
        try fleet.meet("a", "b")
      }
      #expect(try found().isEmpty)
      #expect(
        try Engine.verify(store: fleet.devices.path("b"), environment: fleet.environment)
          .differenceCount == 0)
    }
  }
}
