import Testing

/// Stores whose containers `tools/contrib/rclone/carry-container` carries to a remote and back.
@Suite(
  .enabled(if: Shell.has("rclone"), "rclone is not here: tools/setup installs it"),
  .enabled(if: CarrierScenario.canIsolate, CarrierScenario.skippedWithoutNamespaces))
struct RcloneTests {
  @Test func `what devices write arrives through a remote, and an empty mount deletes nothing`()
    async throws
  {
    try await CarrierScenario.run("rclone-convergence")
  }

  @Suite(.enabled(if: CarrierScenario.all, CarrierScenario.skippedUnlessAll))
  struct Long {
    @Test func `downloads that are cut short under final names are named, and made whole`()
      async throws
    {
      try await CarrierScenario.run("rclone-truncated")
    }

    @Test func `devices that meet only in a remote write baselines, and new ones begin with them`()
      async throws
    {
      try await CarrierScenario.run("rclone-baseline")
    }
  }
}
