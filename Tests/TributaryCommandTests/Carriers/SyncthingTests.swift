import Testing

/// Stores whose containers Syncthing carries, set up by `tools/contrib/syncthing/share-container`.
@Suite(
  .enabled(if: Shell.has("syncthing"), "Syncthing is not here: tools/setup installs it"),
  .enabled(if: Shell.has("curl"), "curl is not here: tools/setup installs it"),
  .enabled(if: CarrierScenario.canIsolate, CarrierScenario.skippedWithoutNamespaces))
struct SyncthingTests {
  @Test func `what three devices write arrives on all of them, and doctor finds nothing`()
    async throws
  {
    try await CarrierScenario.run("syncthing-convergence")
  }

  @Suite(.enabled(if: CarrierScenario.all, CarrierScenario.skippedUnlessAll))
  struct Long {
    @Test func `two thousand segments that arrive in any order are all imported`() async throws {
      try await CarrierScenario.run("syncthing-burst")
    }

    @Test func `after a partition all devices have the same rows and the same conflicts`()
      async throws
    {
      try await CarrierScenario.run("syncthing-partition")
    }

    @Test func `a receiver that is killed again and again loses nothing`() async throws {
      try await CarrierScenario.run("syncthing-killed-receiver")
    }

    @Test func `a copy of a device's directory becomes a device of its own`() async throws {
      try await CarrierScenario.run("syncthing-clone")
    }

    @Test func `a node that has forgotten its index changes nothing`() async throws {
      try await CarrierScenario.run("syncthing-index-reset")
    }

    @Test func `what a container that was rolled back deletes everywhere is published again`()
      async throws
    {
      try await CarrierScenario.run("syncthing-rollback")
    }

    @Test func `files of another device that somebody deletes are published again`() async throws {
      try await CarrierScenario.run("syncthing-deleted")
    }

    @Test func `a device that was restored as a whole loses nothing of anybody's`() async throws {
      try await CarrierScenario.run("syncthing-restore")
    }

    @Test func `a receiver whose disk is full has everything once there is room`() async throws {
      try await CarrierScenario.run("syncthing-full-disk")
    }
  }
}
