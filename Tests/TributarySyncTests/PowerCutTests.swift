import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// The power goes while a store writes, publishes and imports: what the database and the container
/// have left of it fits together.
@Suite(.serialized) struct PowerCutTests {
  @Test func `nothing that was published is forgotten, and no commit is torn`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: 40) {
      try withSeeds(seeds, filter: "PowerCutTests") { random in
        try withTemporaryDirectory { directory in
          let fleet = try CutFleet(in: directory)
          try RecordingVFS.record(fleet.recorder) { try fleet.live(using: &random) }
          for _ in 0..<12 { try fleet.cutAndCheck(using: &random) }
        }
        Soak.didFinish("PowerCutTests")
      }
    }
  }

  @Test func `a store whose rebuild is interrupted has the old contents or the new ones`() throws {
    try withSeeds(0..<3, filter: "PowerCutTests") { random in
      try withTemporaryDirectory { directory in
        let fleet = try CutFleet(in: directory)
        let moments = try RecordingVFS.record(fleet.recorder) {
          try fleet.live(using: &random)
          return try fleet.rebuild()
        }
        // The store's own file changes at the end.
        for moment in moments.suffix(80) { try fleet.cutAndCheck(at: moment, using: &random) }
      }
    }
  }

  @Test func `a disk that ignores the synchronisation of the log is found out`() throws {
    var failures = 0
    try withTemporaryDirectory { directory in
      for seed in 0..<6 {
        var random = SeededGenerator(seed: UInt64(seed))
        let fleet = try CutFleet(in: directory + "/\(seed)", ignoringSynchronization: true)
        try RecordingVFS.record(fleet.recorder) { try fleet.live(using: &random) }
        for _ in 0..<12 {
          do { try fleet.cutAndCheck(using: &random) } catch { failures += 1 }
        }
      }
    }
    #expect(failures > 0)
  }
}
