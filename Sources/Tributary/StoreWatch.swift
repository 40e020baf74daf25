import TributarySync

/// The work of a store's own thread.
struct StoreWatch: Sendable {
  let session: SyncSession
  let stop: StopSignal
  let announcements: Announcements
  let log: StoreLog

  /// Publishes and imports until stopped. If the store itself cannot be used, reports why and tries
  /// again after increasingly long pauses.
  func run(interval: Int, post: @escaping @Sendable (ImportChange) -> Void) {
    var pause = GrowingPause()
    while !stop.isStopped {
      do {
        try session.watch(intervalMilliseconds: interval, stop: stop) { imported in
          announcements.send(imported)
          // A handler may wait for a thread that is waiting for this one.
          announcements.deliveries.deliverElsewhere(post)
          if stop.isStopped { throw Stopped() }
        } onReport: { report in
          pause.reset()
          log.write(report)
          announcements.reports.send(report)
        }
      } catch {
        // After a stop, the only error is that the store was closed.
        if stop.isStopped { return }
        session.measureFailure()
        var report = SyncReport()
        report.failure = error
        log.write(report)
        announcements.reports.send(report)
        stop.sleep(for: pause.take())
      }
    }
  }

  private struct Stopped: Error {}
}
