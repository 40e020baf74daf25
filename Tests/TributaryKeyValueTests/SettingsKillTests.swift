import Testing
import TributaryKeyValue
import TributaryTesting

/// Processes that set values and are killed at any moment, also while they attach, join and synchronise.
struct SettingsKillTests {
  @Test func `what was in the file stays, or a later set, and all devices agree on it`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: 2) {
      try withSeeds(seeds, filter: "SettingsKillTests") { random in
        try withTemporaryDirectory { directory in
          var ground = try SettingsKillingGround(in: directory, random)
          try ground.run(kills: 25)
          try ground.check()
        }
      }
      Soak.didFinish("SettingsKillTests")
    }
  }
}
