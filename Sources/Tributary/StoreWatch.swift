import TributarySync

/// What the thread of a store does.
struct StoreWatch: Sendable {
  let session: SyncSession
  let stop: StopSignal
  let announcements: Announcements

  /// Longest pause after the store itself could not be used.
  private static let longestPause = Duration.seconds(60)

  /// Publishes and imports until stopped. When the store itself cannot be used it says so and tries
  /// again, after longer and longer pauses.
  func run(interval: Int, post: @escaping @Sendable (ImportChange) -> Void) {
    var pause = Duration.seconds(1)
    while !stop.isStopped {
      do {
        try session.watch(intervalMilliseconds: interval, stop: stop) { imported in
          announcements.send(imported)
          // A handler may wait for a thread that waits for this one.
          announcements.deliveries.deliverElsewhere(post)
          if stop.isStopped { throw Stopped() }
        } onReport: { report in
          pause = .seconds(1)
          announcements.reports.send(report)
        }
      } catch {
        // After a stop it says only that the store was closed under it.
        if stop.isStopped { return }
        var report = SyncReport()
        report.failure = error
        announcements.reports.send(report)
        stop.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  private struct Stopped: Error {}
}
