import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Synchronises until told to stop: at once when files change here or in the container, and every
  /// so often where changes cannot be seen.
  ///
  /// - Parameter intervalMilliseconds: between looks that nothing prompted.
  /// - Parameter onReport: is called with each report that says anything. A trouble that stays the
  ///   same is reported once.
  /// - Throws: what is wrong with the store itself, and what `onReport` throws.
  public func watch(
    intervalMilliseconds: Int, stop: StopSignal,
    didImport: (SyncReport.Imported) throws -> Void = { _ in },
    onReport: (SyncReport) throws -> Void
  ) throws {
    let watch = try SyncWatch(
      identity: store.identity(), path: store.service { $0.filePath })
    stop.attach(watch.watcher)
    defer { stop.attach(nil) }
    var filter = ReportFilter()
    var looksAtContainer = true
    var lastPublish = ContinuousClock.now - .seconds(1)
    while !stop.isStopped {
      try checkInPlace()
      try watch.renew(own: store.peer)
      let since = ContinuousClock.now - lastPublish
      if since < SyncWatch.groupInterval {
        // Commits that follow closely share a segment; the first after a pause does not wait.
        stop.sleep(for: SyncWatch.groupInterval - since)
      }
      do {
        let report = try looksAtContainer ? synchronize(didImport: didImport) : publish()
        if report.published.transactions > 0 { lastPublish = .now }
        if filter.passes(report) { try onReport(report) }
      } catch let error as SQLiteError where error.isBusy {
        // Somebody writes for longer than the time-out: go on as if the container had just changed.
        looksAtContainer = true
        continue
      }
      if stop.isStopped { break }
      let events = try watch.wait(milliseconds: intervalMilliseconds)
      looksAtContainer = events.container || !events.store
    }
  }

  /// A watch of a file that nobody can reach any more would seem to work for ever.
  private func checkInPlace() throws {
    guard try store.service({ $0.hasMoved }) else { return }
    throw SyncError(
      .replaced, "the store was removed or replaced by another file", path: store.path,
      remedy: "start again; `tributary attach` rebuilds a store that is missing")
  }
}
