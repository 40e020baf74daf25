import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryReplay
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Why a store comes back.
  private enum ReturnReason {
    /// The others have declared this or, for `nil`, the last declaration of which there is a baseline.
    case declaration(UInt64?)
    /// Some of what has arrived and is not imported was left by retired peers.
    case retired(outside: [Waiting])
  }

  /// Makes the store come back if the last synchronisation found that it does not fit what the others have
  /// declared, or if a peer was retired whose published transactions no store can import any more.
  ///
  /// - Parameters:
  ///   - reseeds: whether the user states that what is lost will not come back.
  ///   - report: the report of that synchronisation. If the store cannot come back now, the reason is its
  ///     failure. The store is as it was then, and can be read and written.
  ///   - pause: for how long, in milliseconds, it is not tried again after a failure. The failure stands
  ///     until then.
  func comeBackIfUnfit(
    reseeds: Bool = false, into report: inout SyncReport,
    pause: UInt64 = 0, _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    guard report.failure == nil || report.isUncompared else { return }
    let now = environment.clock.milliseconds()
    let unfit = horizon.withLock(\.unfit)
    let isDue = try unfit != nil || hasRetiredLogs(report.outside)
    if isDue, let (failure, time) = horizon.withLock({ $0.returnFailure }),
      !HorizonNotes.hasPassed(pause, since: time, now)
    {
      report.failure = failure
      return
    }
    defer { horizon.withLock { $0.returnFailure = report.failure.map { ($0, now) } } }
    // Coming back helps, or reports why not.
    if report.isUncompared { report.failure = nil }
    do {
      if let declaration = unfit {
        try comeBack(
          by: .declaration(declaration.identifier), reseeds: reseeds, into: &report, didImport)
      } else if isDue {
        try comeBack(by: .retired(outside: report.outside), into: &report, didImport)
      }
    } catch let error as SyncError {
      report.failure = error
    } catch let error as ContainerError {
      report.failure = error
    } catch let error as FileError {
      // The files are put together beside the store.
      report.failure = ContainerError(error)
    }
  }

  /// Makes the store come back if the other devices have agreed to forget what its own transactions would
  /// have to be compared with. It takes the contents of the last baseline that declares this, and issues
  /// again what it had beyond.
  ///
  /// It synchronises first, so that others can see what it had written, and again afterwards.
  ///
  /// - Parameters:
  ///   - identifier: the declaration; by default, the last one of which there is a baseline.
  ///   - reseeds: whether the user states that what is lost will not come back.
  /// - Returns: the report of the synchronisations, with what was done; `returned` is `nil` if the store
  ///   obeys this declaration, or a later one, or if there is none.
  /// - Throws: `SyncError`, `ContainerError`. The store is then as it was, and can be read and written.
  package func comeBack(
    by identifier: UInt64? = nil, reseeds: Bool = false
  ) throws -> SyncReport {
    var report = try exchange(isLookedAt: true)
    if report.isUncompared { report.failure = nil }
    if let failure = report.failure { throw failure }
    try comeBack(by: .declaration(identifier), reseeds: reseeds, into: &report) { _ in }
    return report
  }

  /// Comes back after a synchronisation, which is repeated while programs continue to write.
  private func comeBack(
    by reason: ReturnReason, reseeds: Bool = false, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let lock = try StoreLock(store.path, for: .returning)
    defer { lock.release() }
    for _ in 0..<Self.returnAttempts {
      let outcome = try store.exchange { connection in
        var exchange = try exchange(StoreIdentity(reading: connection), connection)
        try exchange.look()
        return try comeBack(
          exchange, by: reason, reseeds: reseeds, isUncompared: report.isUncompared)
      }
      if case .fits = outcome {
        // An attempt that was killed when it was finished may have left files.
        return try Staging(target: store.path, fileSystem: environment.localFiles).clear()
      }
      if case .returned = outcome {
        var everything = SyncReport.Imported()
        everything.isIncomplete = true
        report.imported.append(everything)
        try didImport(everything)
      }
      let rest = try self.exchange(isLookedAt: true, didImport: didImport)
      report.append(rest)
      report.isUncompared = rest.isUncompared
      if case .returned(let returned) = outcome {
        report.returned = returned
        return
      }
      if rest.isUncompared { report.failure = nil }
      if let failure = report.failure { throw failure }
    }
    throw SyncError(
      .inUse, "the store was written to each time it tried to come back", path: store.path,
      remedy: "try again when there is less to do")
  }

  /// Whether there may be something to issue again for peers that were retired.
  private func hasRetiredLogs(_ outside: [Waiting]) throws -> Bool {
    let peers = Set(outside.filter { $0.isFenced || $0.isGap }.map(\.peer))
    if peers.isEmpty { return false }
    return try store.service { connection in
      if try !Retirements(Settings(connection)).all().isEmpty { return true }
      let directory = try StoreIdentity(reading: connection).directory()
      return peers.contains { RetiredLog.isDetached($0, environment, directory) }
    }
  }

  /// Whether nothing more of a retired peer's log has arrived for so long that this store may issue it again.
  var isArrivalDue: Bool {
    let now = environment.clock.milliseconds()
    return horizon.withLock { $0.arrivalDue.map { $0 <= now } ?? false }
  }

  /// The same as `isArrivalDue`, for a session that has not synchronised yet.
  func hasArrivalDue(_ connection: Connection) throws -> Bool {
    let due = try HorizonNotes(connection).arrivalDue(after: environment.horizons.lossPatience)
    return due.map { $0 <= environment.clock.milliseconds() } ?? false
  }

  private enum ReturnOutcome {
    case returned(ReturnReport)
    /// The store obeys the declaration, or a later one, or there is none. Or there is nothing to issue again.
    case fits
    /// The store was written to meanwhile, or has something unpublished: synchronise, and try again.
    case disturbed
  }

  /// Makes the store come back by a declaration, or by the last one, as a step of a synchronisation that has
  /// published everything. Afterwards the store may have another identity, under which nothing is published
  /// yet.
  ///
  /// - Parameter isUncompared: whether the tables cannot be compared with the logs before.
  private func comeBack(
    _ exchange: Exchange, by reason: ReturnReason, reseeds: Bool, isUncompared: Bool
  ) throws -> ReturnOutcome {
    let record = try HorizonRecord(exchange.connection)
    var identifier: UInt64?
    var retired: RetiredLog?
    switch reason {
    case .declaration(let wanted): identifier = wanted
    case .retired(let outside):
      retired = try RetiredLog.next(outside, exchange)
      let due = try HorizonNotes(exchange.connection).arrivalDue(
        after: environment.horizons.lossPatience)
      horizon.withLock { $0.arrivalDue = due }
      // The store must have no outstanding promise, and must first obey what comes after this declaration.
      guard retired != nil, record.state.promises.isEmpty else { return .fits }
      identifier = record.state.obeyed?.identifier
    }
    let baselines = try exchange.memory.baselines.all(of: exchange).filter {
      $0.header.declaration.map { $0.identifier == identifier ?? $0.identifier } ?? false
    }
    let selection = try TableSelection(exchange.connection)
    guard let declaration = baselines.compactMap(\.header.declaration).max() else { return .fits }
    if let obeyed = record.state.obeyed, declaration <= obeyed, retired == nil { return .fits }
    var returner = Returner(
      exchange: exchange, store: store, declaration: declaration, follower: follower)
    returner.retired = retired
    returner.isUncompared = isUncompared
    let (now, patience) = (environment.clock.milliseconds(), environment.horizons.lossPatience)
    let since = try HorizonNotes(exchange.connection).lost
    returner.passesOverLost =
      reseeds || since != nil && HorizonNotes.hasPassed(patience, since: since, now)
    // Baselines that have all tables come first.
    let same = try baselines.filter { $0.header.declaration == declaration }.map {
      ($0, try exchange.tablesMissing(from: $0.header, for: selection, countsGone: true).isEmpty)
    }.sorted { $0.1 && !$1.1 }.map(\.0)
    let report: ReturnReport?
    do {
      report = try returner.run(by: same)
    } catch let error as SyncError where error.code == .logsMissing && retired == nil {
      // If no device brings them, the store comes back without them.
      try HorizonNotes.noteLoss(now, in: exchange.connection)
      throw error
    }
    guard let report else { return .disturbed }
    store.note(peer: try StoreIdentity(reading: exchange.connection).peer)
    continuation.withLock { $0 = nil }
    forgetManifest()
    return .returned(report)
  }

  /// Each attempt reads the baseline once.
  private static let returnAttempts = 10
}
