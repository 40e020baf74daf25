import Glibc
import Testing

/// A container on a server of SSH, mounted as `tools/contrib/systemd/srv-shared.mount` says.
@Suite(
  .enabled(if: Shell.has("sshfs"), "sshfs is not here: tools/setup installs it"),
  .enabled(
    if: Shell.has("/usr/sbin/sshd"),
    "no server of SSH is here: apt-get install openssh-server, which also starts it"),
  .enabled(if: getuid() == 0, "a server of SSH of one's own needs root"),
  .enabled(if: CarrierScenario.canIsolate, CarrierScenario.skippedWithoutNamespaces),
  .enabled(if: Shell.canMountHanging, "this system has no /dev/fuse that may be opened"))
struct SSHFSTests {
  @Test func `what a server and two devices with mounts of it write arrives on all of them`()
    async throws
  {
    try await CarrierScenario.run("sshfs-convergence")
  }

  @Suite(.enabled(if: CarrierScenario.all, CarrierScenario.skippedUnlessAll))
  struct Long {
    @Test func `a server that is gone is named, and everything arrives when it is back`()
      async throws
    {
      try await CarrierScenario.run("sshfs-cut-off")
    }

    @Test func `a server that does not answer holds up nobody's store`() async throws {
      try await CarrierScenario.run("sshfs-frozen")
    }

    @Test func `everything arrives with the caches of sshfs, too, but later`() async throws {
      try await CarrierScenario.run("sshfs-cached")
    }
  }
}
