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
  func run(interval: Int, post: (ImportChange) -> Void) {
    var pause = Duration.seconds(1)
    while !stop.isStopped {
      do {
        try session.watch(intervalMilliseconds: interval, stop: stop) { imported in
          announcements.send(imported, post: post)
        } onReport: { report in
          pause = .seconds(1)
          announcements.reports.send(report)
        }
      } catch {
        var report = SyncReport()
        report.failure = error
        announcements.reports.send(report)
        stop.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }
}
