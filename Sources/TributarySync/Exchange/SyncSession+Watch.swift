import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Synchronises until stopped: at once when files change here or in the container, and at
  /// intervals where changes cannot be observed.
  ///
  /// Imports of other processes into the store are reported like this process's own, each import
  /// once.
  ///
  /// - Parameter intervalMilliseconds: the interval between looks that nothing prompted.
  /// - Parameter rests: whether the store is closed while there is nothing to do, so that other programs can
  ///   have the database for themselves.
  /// - Parameter onReport: called with each report that contains anything. A persistent trouble is
  ///   reported once.
  /// - Throws: what is wrong with the store itself, and what `onReport` throws.
  public func watch(
    intervalMilliseconds: Int, stop: StopSignal, rests: Bool = false,
    didImport: (SyncReport.Imported) throws -> Void = { _ in },
    onReport: (SyncReport) throws -> Void
  ) throws {
    let path = try store.service { $0.filePath }
    let watch = try SyncWatch(
      identity: store.identity(), path: path, rests: rests, environment: environment)
    let file = rests ? try environment.localFiles.status(path)?.identity : nil
    stop.attach(watch.watcher, environment.executor)
    defer { stop.detach(watch.watcher, environment.executor) }
    var filter = ReportFilter()
    var looksAtContainer = true
    var hasNews = false
    var isElsewhere = true
    var lastPublish = ContinuousClock.now - .seconds(1)
    // `nil` while something prevents everything else.
    var pace: CompactionPace?
    var elsewhere = SyncReport.Imported()
    func tell(_ imported: SyncReport.Imported) throws {
      if imported.isByAnotherProcess { elsewhere.append(imported) }
      try didImport(imported)
    }
    while !stop.isStopped {
      try checkInPlace(path, file)
      watch.mark()
      let since = ContinuousClock.now - lastPublish
      if since < SyncWatch.groupInterval {
        // Commits that follow closely share a segment; the first one after a pause does not wait.
        stop.sleep(for: SyncWatch.groupInterval - since)
      }
      do {
        let quiet = try looksAtContainer && !hasNews ? quietReport() : nil
        // If nothing changed, or if new logs belong to other peers, the watched directories are
        // still the same.
        if quiet == nil, !hasNews || isElsewhere {
          watch.renew(lookingAtContainer: looksAtContainer, own: store.peer)
        }
        try follow(didImport: tell)
        let report =
          try quiet
          ?? (looksAtContainer ? exchange(isLookedAt: true, didImport: tell) : publish())
        if !elsewhere.isEmpty {
          var told = SyncReport()
          told.imported = elsewhere
          told.conflicts = report.conflicts
          elsewhere = SyncReport.Imported()
          try onReport(told)
        }
        if report.published.transactions > 0 { lastPublish = .now }
        if report.failure != nil {
          pace = nil
        } else if pace != nil || looksAtContainer {
          pace = pace ?? CompactionPace(.now, longest: environment.segments.lookInterval)
          if report.published.transactions + report.imported.transactions > 0 {
            pace?.disturb(.now)
          }
        }
        if filter.passes(report) { try onReport(report) }
      } catch let error as SQLiteError where error.isBusy {
        // Another writer takes longer than the time-out: continue as if the container had just
        // changed.
        var report = SyncReport()
        report.failure = SyncError(locked: error)
        if filter.passes(report) { try onReport(report) }
        if rests { try rest() }
        looksAtContainer = true
        continue
      }
      try shortenLog()
      if stop.isStopped { break }
      let events = try wait(watch, intervalMilliseconds, stop, rests: rests, &pace, onReport)
      hasNews = events.container
      isElsewhere = events.isElsewhere
      looksAtContainer = events.container || !events.store
    }
  }

  /// Returns the next moment on a grid of this interval, which is the same for all stores of the
  /// process: waking processors once for all of them costs half of waking them for each.
  private static func nextLook(
    every interval: Duration, after now: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    guard interval > .zero else { return now }
    let since = epoch.duration(to: now)
    return epoch + interval * Int(since / interval + 1)
  }

  private static let epoch = ContinuousClock.now

  /// Waits for something to happen, and compacts own segments meanwhile.
  private func wait(
    _ watch: SyncWatch, _ milliseconds: Int, _ stop: StopSignal, rests: Bool,
    _ pace: inout CompactionPace?, _ onReport: (SyncReport) throws -> Void
  ) throws -> SyncWatch.News {
    let end = Self.nextLook(every: .milliseconds(milliseconds), after: .now)
    var restTime = rests ? ContinuousClock.now + Self.pauseBeforeRest : nil
    while true {
      let next = min(pace?.next ?? end, restTime ?? end)
      let time = max(.zero, min(next, end) - .now)
      let events = try watch.wait(milliseconds: Int(time / .milliseconds(1)) + 1)
      let now = ContinuousClock.now
      if let due = restTime, due <= now, !events.container, !events.store, !stop.isStopped {
        try rest()
        restTime = nil
        continue
      }
      guard !events.container, !events.store, !stop.isStopped, next <= now, now < end,
        pace != nil
      else { return events }
      if let report = try compactStep(&pace!, watch, stop) { try onReport(report) }
      if rests { restTime = .now + Self.pauseBeforeRest }
    }
  }

  /// After this time without anything to do, the store is closed. Programs that wait for a lock mostly wait
  /// for seconds.
  private static let pauseBeforeRest = Duration.milliseconds(300)

  /// Closes the store until it is needed.
  private func rest() throws {
    try store.rest()
    memory.log.forget()
  }

  /// Reports what other processes have imported since the last time.
  ///
  /// Each import is reported once in this session, here or by `synchronize`. What was imported
  /// before the session began is not reported.
  public func follow(didImport: (SyncReport.Imported) throws -> Void) throws {
    try store.service { try follower.imports($0) }.forEach(didImport)
  }

  /// Reports the imports of other processes before one of this process.
  func follow(
    _ connection: Connection, before entry: ImportJournal.Entry?,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    try follower.imports(connection, before: entry).forEach(didImport)
  }

  /// Shortens the write-ahead log, which a slow reader lets grow and which does not shrink by itself.
  private func shortenLog() throws {
    try store.service { connection in
      let path = connection.filePath + "-wal"
      let size = try environment.localFiles.status(path)?.size ?? 0
      if size > UInt64(LocalStore.largeLogByteCount) { try CommitSeal(connection).shortenLog() }
    }
  }

  /// Checks that the file is still in its place. Otherwise, a watch of an unreachable file would
  /// seem to work forever.
  ///
  /// - Parameter file: the file that a store had which is closed in between.
  private func checkInPlace(_ path: String, _ file: FileIdentity?) throws {
    if let file {
      do {
        if try environment.localFiles.status(path)?.identity == file { return }
      } catch {
        // Opening it reports this.
        return
      }
    } else {
      guard try store.service({ $0.hasMoved }) else { return }
    }
    throw SyncError(
      .replaced, "the store was removed or replaced by another file", path: store.path,
      remedy: "start again; `tributary attach` rebuilds a store that is missing")
  }
}
