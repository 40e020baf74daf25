import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Checks that the container is mounted. A dead mount leaves an empty directory behind: if the store's own
  /// directory is missing there, nothing is written.
  ///
  /// - Parameter reseed: whether to create the directory instead.
  func checkPresent(_ exchange: Exchange, reseed: Bool) throws {
    let (environment, directory) = (exchange.environment, exchange.directory)
    let own = directory.peer(exchange.own)
    let status: FileStatus?
    do {
      status = try environment.fileSystem.status(own)
    } catch {
      throw ContainerError(error)
    }
    if status?.kind == .directory { return }
    if reseed {
      guard try environment.fileSystem.status(directory.container)?.kind == .directory else {
        throw ContainerError(
          .absent, "the container \(directory.container) is not there", path: directory.container,
          remedy: "mount it or make the directory, then sync with --reseed again")
      }
      return try exchange.segments(of: exchange.own).makeDirectories()
    }
    if hasOthers(exchange) {
      throw ContainerError(
        .wiped,
        "somebody has deleted this store's directory \(own); the container and the directories of other devices are "
          + "there",
        path: own,
        remedy:
          "run `tributary sync --reseed`, which publishes what this store has again; nothing is lost"
      )
    }
    let exists = try environment.fileSystem.status(directory.container)?.kind == .directory
    throw exists
      ? ContainerError(
        .wiped,
        "the container \(directory.container) does not contain this store's directory \(own)",
        path: own,
        remedy:
          "mount the container; if it was wiped or replaced on purpose, `tributary sync --reseed` "
          + "publishes everything again")
      : ContainerError(
        .absent, "the container \(directory.container) is not there", path: directory.container,
        remedy: "mount it; the store keeps working, and publishes by itself later")
  }

  /// Whether the container has the directory of another device. If so, it is not an empty mount point.
  private func hasOthers(_ exchange: Exchange) -> Bool {
    // Entries that cannot be examined do not count.
    let entries = (try? exchange.environment.fileSystem.list(exchange.directory.peers)) ?? []
    return entries.contains { PeerIdentity(hex: $0.name) != nil }
  }

  /// Removes what a killed publisher has left behind, once per session.
  func tidy(_ exchange: Exchange) {
    guard !hasTidied.exchange(true, ordering: .relaxed) else { return }
    let directory = exchange.directory
    let own = exchange.own
    for path in [directory.peer(own), directory.log(of: own), directory.baseline(of: own)] {
      // A file that cannot be removed does no harm.
      _ = try? environment.fileSystem.removeStaleTemporaries(in: path, clock: environment.clock)
    }
  }

  /// Removes what killed processes have left beside the store, once per session. It may be large, so this is done
  /// even if there is nothing else to do.
  func tidyStore() {
    guard !hasTidiedStore.exchange(true, ordering: .relaxed) else { return }
    // If the directory cannot be listed now, the next session tries again.
    (try? ScratchFiles(of: store.path))?.remove()
  }

  /// Records since when the container has been in trouble, or that it is no longer in trouble.
  func note(_ failure: (any Error)?, _ connection: Connection) {
    let settings = Settings(connection)
    // On a full disk, this cannot be recorded. The report states it anyway.
    if let failure = failure ?? compactionFailure.withLock({ $0 }) {
      try? ContainerTrouble.note(failure, in: settings, clock: environment.clock)
    } else {
      try? ContainerTrouble.clear(in: settings)
    }
  }
}
