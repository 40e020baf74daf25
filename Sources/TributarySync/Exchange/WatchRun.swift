import TributaryFiles
import TributarySQLite

/// A store that is kept synchronised in steps that never wait for an event. The caller waits between the
/// steps.
package final class WatchRun {
  /// What to wait for between steps.
  package enum Next {
    /// Wait for this time, whatever happens meanwhile.
    case pause(until: ContinuousClock.Instant)
    /// Wait for this time, or until something happens.
    case wait(until: ContinuousClock.Instant)
  }

  private let session: SyncSession
  private let watch: SyncWatch
  private let stop: StopSignal
  private let rests: Bool
  private let path: String
  /// The file of a store that is closed while it rests.
  private let file: FileIdentity?
  private var schedule: WatchSchedule
  /// What was reported last.
  package private(set) var filter: ReportFilter
  private let now: () -> ContinuousClock.Instant

  /// Looks that no event prompted happen at the same times for all stores of the process.
  private static let epoch = ContinuousClock.now

  /// Prepares the first step, which looks at everything.
  ///
  /// - Parameters:
  ///   - intervalMilliseconds: as for `SyncSession.watch`.
  ///   - rests: whether the store is closed while there is nothing to do.
  ///   - filter: the filter of an earlier run of this store.
  ///   - now: the clock.
  package init(
    _ session: SyncSession, watcher: any Watching, intervalMilliseconds: Int, rests: Bool,
    stop: StopSignal, filter: ReportFilter = ReportFilter(),
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) throws {
    self.session = session
    self.filter = filter
    self.now = now
    self.stop = stop
    self.rests = rests
    path = try session.store.service { $0.filePath }
    watch = try SyncWatch(
      watcher, identity: session.store.identity(), path: path, rests: rests,
      environment: session.environment)
    file = rests ? try session.environment.localFiles.status(path)?.identity : nil
    schedule = WatchSchedule(
      interval: .milliseconds(intervalMilliseconds), rests: rests,
      compactionInterval: session.environment.segments.lookInterval, epoch: Self.epoch)
  }

  /// Takes all steps that are due, until there is nothing to do or a stop is requested.
  ///
  /// - Parameter events: what has happened since the last call.
  /// - Throws: what is wrong with the store itself, and what the closures throw.
  package func advance(
    _ events: WatchEvents, didImport: (SyncReport.Imported) throws -> Void,
    onReport: (SyncReport) throws -> Void
  ) throws -> Next {
    schedule.didNotice(watch.notice(events, at: now()))
    while !stop.isStopped {
      switch schedule.step(at: now()) {
      case .pause(let end): return .pause(until: end)
      case .wait(let end):
        let news = watch.notice(WatchEvents(), at: now())
        guard news.container else { return .wait(until: min(end, watch.manifestDue ?? end)) }
        schedule.didNotice(news)
      case .rest:
        try session.rest()
        schedule.didRest()
      case .compact:
        if let report = try session.compactStep(&schedule.pace!, watch, stop) {
          try onReport(report)
        }
        schedule.didCompact(at: now())
      case .exchange(let look):
        // If another writer kept it out, it lets others have a turn.
        guard try exchange(look, didImport, onReport) else { return .wait(until: now()) }
      }
    }
    return .wait(until: now())
  }

  /// Performs an exchange.
  ///
  /// - Returns: `false` if another writer kept it out.
  private func exchange(
    _ look: WatchSchedule.Look, _ didImport: (SyncReport.Imported) throws -> Void,
    _ onReport: (SyncReport) throws -> Void
  ) throws -> Bool {
    try session.checkInPlace(path, file)
    watch.mark(at: now())
    do {
      let unopened = look.mayBeIdle && watch.isStoreQuiet ? session.unopenedReport() : nil
      let report = try filter.withoutRepetition(
        unopened ?? session.exchange(look, watch, didImport, onReport))
      schedule.didExchange(
        look,
        WatchSchedule.Outcome(
          published: report.published.transactions > 0,
          imported: report.imported.transactions > 0, failed: report.failure != nil,
          announced: watch.isAnnounced,
          awaitsCommit: look != .everything && session.awaitsCommit(),
          opened: unopened == nil),
        at: now())
      if filter.passes(report) { try onReport(report) }
      try session.shortenLog(path)
      return true
    } catch let error as SQLiteError where error.isBusy {
      // Another writer holds the lock for longer than the time-out.
      session.measureFailure()
      var report = SyncReport()
      report.failure = SyncError(locked: error)
      if filter.passes(report) { try onReport(report) }
      if rests { try session.rest() }
      schedule.wasKeptOut()
      return false
    }
  }
}
