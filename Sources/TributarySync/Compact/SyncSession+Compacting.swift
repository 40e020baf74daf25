import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The result of a step of compacting own segments.
  package enum CompactionStep: Equatable {
    /// There may be more to do.
    case done(payload: Int64)
    /// Another thread was waiting, or did the same. Nothing was done.
    case interrupted
    /// There is nothing to do before the given time, in milliseconds since 1970; if it is `nil`, before
    /// something happens.
    case idle(until: Int64?)
  }

  /// Compacts own segments: writes one in place of several, or removes some that were replaced earlier. Also
  /// removes records of old imports.
  ///
  /// - Throws: what is wrong with the container, as publishing does.
  package func compactStep(isInterrupted: @escaping () -> Bool = { false }) throws -> CompactionStep
  {
    let step = try takeStep(isInterrupted)
    // Whatever could be compacted is compacted, which may have made room for the next attempt.
    if case .idle = step, let failure = horizon.withLock(\.outage) { throw failure }
    return step
  }

  private func takeStep(_ isInterrupted: @escaping () -> Bool) throws -> CompactionStep {
    // Usually there is nothing to do, which shows at once.
    let until = try store.service { connection -> Int64? in
      if try ImportJournal(connection).hasOld(environment.clock.milliseconds()) { return 0 }
      if horizon.withLock(\.hasWork) { return 0 }
      let compactor = try compactor(connection)
      if try compactor.next() != nil { return 0 }
      return try compactor.nextRemoval()
    }
    guard let until, until <= Int64(clamping: environment.clock.milliseconds()) else {
      return .idle(until: until)
    }
    do {
      if try horizonStep() { return .done(payload: 0) }
    } catch let error where Self.isTrouble(error) {
      // Whatever can be compacted anyway is compacted. The next synchronisation tries again.
      try noteHorizon(error)
    }
    return try store.background { connection in
      try ImportJournal(connection).forgetOld(environment.clock.milliseconds())
      var compactor = try compactor(connection)
      compactor.isInterrupted = isInterrupted
      try checkPresent(compactor.exchange, reseed: false)
      do {
        if let payload = try compactor.compact() { return .done(payload: payload) }
      } catch is SegmentCompactor.Interruption {
        return .interrupted
      }
      // A segment that cannot be removed now waits until its replacement is in the container again.
      return try compactor.removeSome() ? .done(payload: 0) : .idle(until: nil)
    }
  }

  /// Records what has prevented a baseline or a removal.
  private func noteHorizon(_ failure: any Error) throws {
    horizon.withLock {
      $0.writes = nil
      $0.removes = false
      $0.failure = failure
    }
    // The container need not look any different when there is room again.
    if horizon.withLock({ $0.outage != nil }) { forgetManifest() }
  }

  private func compactor(_ connection: Connection) throws -> SegmentCompactor {
    SegmentCompactor(
      exchange: try exchange(StoreIdentity(reading: connection), connection),
      policy: compactionPolicy)
  }

  /// Compacts segments for a watch, as often as it has time.
  ///
  /// - Returns: a report of a new failure.
  func compactStep(
    _ pace: inout CompactionPace, _ watch: SyncWatch, _ stop: StopSignal
  ) throws -> SyncReport? {
    let yields = pace.yields
    do {
      let step = try compactStep(isInterrupted: {
        stop.isStopped || yields && watch.watcher.hasEvents
      })
      pace.made(
        step, .now, milliseconds: Int64(clamping: environment.clock.milliseconds()))
      try noteCompaction(nil)
    } catch let error where Self.isTrouble(error) {
      pace.failed(.now)
      guard try noteCompaction(error) else { return nil }
      var report = SyncReport()
      report.failure = error
      report.conflicts = try store.service { try ConflictTable($0).count() }
      return report
    } catch let error as SQLiteError where error.isBusy {
      pace.made(.interrupted, .now, milliseconds: 0)
    }
    return nil
  }

  /// Compacts segments at the end of a synchronisation that no watch follows, for a time that is not
  /// noticeable.
  func compactSome(into report: inout SyncReport) throws {
    guard report.failure == nil else { return }
    horizon.withLock { $0.written = nil }
    defer { report.baseline = horizon.withLock { $0.written.take() } }
    do {
      var payload: Int64 = 0
      var steps = 0
      while payload < environment.segments.byteLimit / 2, steps < Self.stepLimit,
        case .done(let more) = try compactStep()
      {
        payload += more
        steps += 1
      }
      // There may be more to compact, so that no step has thrown it.
      if let failure = horizon.withLock(\.outage) { throw failure }
      report.hindrance = horizon.withLock(\.failure)
      try noteCompaction(report.hindrance)
    } catch let error where Self.isTrouble(error) {
      report.failure = error
      try noteCompaction(error)
    } catch let error as SQLiteError where error.isBusy {
      // Another writer is taking a long time. A later call compacts.
    }
  }

  /// At most this many steps are taken at the end of a synchronisation.
  private static let stepLimit = 8

  /// Whether an error concerns the container, or another user of the store.
  private static func isTrouble(_ error: any Error) -> Bool {
    error is ContainerError || error is FileError || error is SyncError
  }

  /// Records the outcome of compaction, for the status.
  ///
  /// - Returns: whether the outcome is new.
  @discardableResult
  private func noteCompaction(_ failure: (any Error)?) throws -> Bool {
    let text = failure.map { "\($0)" }
    let isNews = compactionFailure.withLock { known in
      defer { known = failure }
      return known.map { "\($0)" } != text
    }
    if isNews { try store.exchange { note(failure, $0) } }
    return isNews
  }
}
