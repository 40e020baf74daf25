import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Synchronises until stopped: immediately when files change here or in the container, and at intervals
  /// where changes cannot be observed.
  ///
  /// Imports by other processes into the store are reported like this process's own, each import once.
  ///
  /// - Parameter intervalMilliseconds: the interval between looks that no event prompted. Where changes are
  ///   announced and nothing happens, it grows up to twelvefold.
  /// - Parameter rests: whether to close the store while there is nothing to do, so that other programs can
  ///   have the database to themselves.
  /// - Parameter onReport: called with each report that contains anything. Persistent trouble is reported
  ///   once.
  /// - Throws: what is wrong with the store itself, and what `onReport` throws.
  package func watch(
    intervalMilliseconds: Int, stop: StopSignal, rests: Bool = false,
    didImport: (SyncReport.Imported) throws -> Void = { _ in },
    onReport: (SyncReport) throws -> Void
  ) throws {
    let watcher = try Watcher()
    stop.attach(watcher, environment.executor)
    defer { stop.detach(watcher, environment.executor) }
    let run = try WatchRun(
      self, watcher: watcher, intervalMilliseconds: intervalMilliseconds, rests: rests, stop: stop)
    var events = WatchEvents()
    while !stop.isStopped {
      switch try run.advance(events, didImport: didImport, onReport: onReport) {
      case .pause(let end):
        stop.sleep(for: end - .now)
        events = WatchEvents()
      case .wait(let end):
        let time = max(.zero, end - .now)
        events = try watcher.wait(timeoutMilliseconds: Int(time / .milliseconds(1)) + 1)
      }
    }
  }

  /// Performs one exchange of a watch.
  ///
  /// - Parameter onReport: called with what other processes have imported.
  func exchange(
    _ look: WatchSchedule.Look, _ watch: SyncWatch,
    _ didImport: (SyncReport.Imported) throws -> Void, _ onReport: (SyncReport) throws -> Void
  ) throws -> SyncReport {
    let idle = look.includesContainer && look.mayBeIdle ? try quietReport() : nil
    if idle != nil { watch.didFindQuiet() }
    if idle == nil, look.renewsWatches {
      watch.renew(lookingAtContainer: look.includesContainer, own: store.peer)
    }
    var elsewhere = SyncReport.Imported()
    func tell(_ imported: SyncReport.Imported) throws {
      if imported.isByAnotherProcess { elsewhere.append(imported) }
      try didImport(imported)
    }
    try follow(didImport: tell)
    var report =
      try idle
      ?? (look.includesContainer ? exchange(isLookedAt: true, didImport: tell) : publish())
    if idle == nil, look.includesContainer {
      try comeBackIfUnfit(into: &report, pause: Self.returnPause, tell)
    }
    if !elsewhere.isEmpty {
      var told = SyncReport()
      told.imported = elsewhere
      told.conflicts = report.conflicts
      try onReport(told)
    }
    return report
  }

  /// How long a watch waits, in milliseconds, before it tries again to come back after a failed attempt: each
  /// attempt makes a copy of the store.
  private static let returnPause: UInt64 = 60_000

  /// Closes the store until it is needed.
  func rest() throws {
    try store.rest()
    memory.log.forget()
  }

  /// Reports what other processes have imported since the last time.
  ///
  /// Each import is reported once in this session, here or by `synchronize`. Imports before the session began
  /// are not reported.
  package func follow(didImport: (SyncReport.Imported) throws -> Void) throws {
    try store.service { try follower.imports($0) }.forEach(didImport)
  }

  /// Reports the imports of other processes before one of this process.
  func follow(
    _ connection: Connection, before entry: ImportJournal.Entry?,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    try follower.imports(connection, before: entry).forEach(didImport)
  }

  /// Whether a program seems to be in the middle of a commit. Where that is unknown, the next look finds the
  /// commit.
  func awaitsCommit() -> Bool {
    (try? store.service { try $0.hasUncommittedFrames() }) ?? false
  }

  /// Shortens the write-ahead log. A slow reader lets it grow, and it does not shrink by itself.
  ///
  /// - Parameter path: the database.
  func shortenLog(_ path: String) throws {
    let size = try environment.localFiles.status(path + "-wal")?.size ?? 0
    guard size > UInt64(LocalStore.largeLogByteCount) else { return }
    try store.service { try CommitSeal($0).shortenLog() }
  }

  /// Checks that the file is still in its place. Otherwise, a watch of an unreachable file would
  /// seem to work forever.
  ///
  /// - Parameter file: the file of a store that is closed between steps.
  func checkInPlace(_ path: String, _ file: FileIdentity?) throws {
    if let file {
      do {
        if try environment.localFiles.status(path)?.identity == file { return }
      } catch {
        // Opening the file reports this.
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
