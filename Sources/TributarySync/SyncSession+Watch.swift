import TributaryContainer
import TributaryCore
import TributaryFiles
public import TributaryStore

extension SyncSession {
  /// Synchronises until told to stop: at once when files change here or in the container, and every so often
  /// where changes cannot be seen.
  ///
  /// - Parameter intervalMilliseconds: between looks that nothing prompted.
  /// - Parameter onReport: is called with each report that says anything. A failure that stays the same is
  ///   reported once.
  /// - Throws: what is wrong with the store itself, and what `onReport` throws.
  public func watch(
    intervalMilliseconds: Int, stop: StopSignal,
    didImport: (SyncReport.Imported) throws -> Void = { _ in },
    onReport: (SyncReport) throws -> Void
  ) throws {
    let watch = try SyncWatch(identity: store.identity(), path: store.path)
    stop.attach(watch.watcher)
    defer { stop.attach(nil) }
    var reports = ReportFilter()
    var looksAtContainer = true
    while !stop.isStopped {
      try watch.renew()
      let started = ContinuousClock.now
      let report: SyncReport
      do {
        report = try looksAtContainer ? synchronize(didImport: didImport) : publish()
      } catch let error as SQLiteBusy where error.isBusy {
        // Somebody writes for longer than the time-out; the next look comes soon enough.
        looksAtContainer = try watch.wait(milliseconds: SyncWatch.groupMilliseconds * 10).container
        looksAtContainer = true
        continue
      }
      if reports.passes(report) { try onReport(report) }
      // Commits that follow closely share a segment; the first after a pause does not wait.
      let elapsed = Int((ContinuousClock.now - started) / .milliseconds(1))
      if report.published.transactions > 0, elapsed < SyncWatch.groupMilliseconds {
        _ = watch.pause(milliseconds: SyncWatch.groupMilliseconds - elapsed, stop)
      }
      if stop.isStopped { break }
      let events = try watch.wait(milliseconds: intervalMilliseconds)
      looksAtContainer = events.container || !events.store
    }
  }
}
