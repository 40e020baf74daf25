import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryReplay
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// What a session knows about horizons.
  struct HorizonMemory {
    /// Whether a baseline may arrive that nothing else announces.
    var awaitsBaseline = false
    /// When this session first saw declarations that others obey and about which nothing is known here.
    var unknown: [UInt64: UInt64] = [:]
    /// A declaration by whose baseline the store has to come back.
    var unfit: Declaration?
    /// The declaration whose baseline this store has to write.
    var writes: Declaration?
    /// Whether there may be something to remove.
    var removes = false
    /// Whether logs that would have to be read again have been lost for a day.
    var hasLost = false
    /// Whether no whole baseline contains what the store has forgotten.
    var lacksBaseline = false

    /// The baseline that was written last, until a report contains it.
    var written: BaselineReport?
    /// What prevented that work the last time, in this session.
    var failure: (any Error)?
    /// What prevented the store from coming back the last time, and when, in milliseconds since 1970.
    var returnFailure: (error: any Error, time: UInt64)?
    /// When what a retired peer has left may be issued again, if nothing more of it arrives until then, in
    /// milliseconds since 1970.
    var arrivalDue: UInt64?

    /// Whether to look again even if nothing seems to have changed.
    var isRestless: Bool { awaitsBaseline || unfit != nil }
    /// What keeps the store from writing a baseline without which other devices cannot get what it has
    /// forgotten: as bad as what keeps it from publishing a segment.
    var outage: (any Error)? {
      guard lacksBaseline, let failure, failure is ContainerError || failure is FileError else {
        return nil
      }
      return failure
    }
    /// Whether there is work that nothing waits for.
    var hasWork: Bool { writes != nil || removes }

    mutating func note(_ outcome: HorizonStep.Outcome, _ policy: HorizonPolicy, _ now: UInt64) {
      unknown = Dictionary(
        uniqueKeysWithValues: outcome.unknown.map { ($0, unknown[$0] ?? now) })
      // After that, once a day is enough: the peer may have been left behind.
      let isRecent = unknown.values.contains {
        !HorizonNotes.hasPassed(policy.courtesy, since: $0, now)
      }
      awaitsBaseline = outcome.awaitsBaseline || isRecent
      unfit = outcome.unfit
      writes = outcome.writes
      removes = outcome.removes
      if writes == nil, !removes { failure = nil }
      hasLost = outcome.hasLost
      lacksBaseline = outcome.lacksBaseline
    }
  }

  /// Takes the decisions about horizons that are due, after an import and before `peer.json` states them.
  ///
  /// - Parameters:
  ///   - waiting: what has arrived and is not imported.
  ///   - isForced: whether to propose now, whatever the gain.
  ///   - reseeds: whether the user states that what is lost will not come back.
  /// - Returns: whether what was kept out may come in now.
  func decideHorizon(
    _ exchange: Exchange, _ waiting: [Waiting], isForced: Bool = false, reseeds: Bool = false
  ) throws -> Bool {
    guard environment.horizons.isOn else { return false }
    var step = try HorizonStep(
      exchange, environment.horizons, waiting: waiting, isSpaceNear: space.withLock(\.isNear))
    step.isForced = isForced
    step.reseeds = reseeds
    let outcome = try step.run()
    try exchange.memory.baselines.remember(in: exchange.connection)
    horizon.withLock { $0.note(outcome, environment.horizons, environment.clock.milliseconds()) }
    return outcome.hasDropped
  }

  /// Decides whether a store whose tables cannot be compared with the logs comes back. The other devices may
  /// have forgotten these logs.
  ///
  /// - Parameter reseeds: whether the user states that what is lost will not come back.
  func decideUncompared(_ exchange: Exchange, reseeds: Bool) throws -> UncomparedOutcome {
    guard environment.horizons.isOn else { return .waits }
    var step = try HorizonStep(
      exchange, environment.horizons, waiting: [], isSpaceNear: space.withLock(\.isNear))
    step.reseeds = reseeds
    let outcome = try step.runUncompared()
    try exchange.memory.baselines.remember(in: exchange.connection)
    horizon.withLock {
      $0.unfit = outcome.unfit
      $0.awaitsBaseline = outcome.awaitsBaseline
    }
    return outcome.unfit != nil ? .comesBack : outcome.awaitsBaseline ? .comesBackLater : .waits
  }

  /// What happens to a store whose tables cannot be compared with the logs.
  enum UncomparedOutcome {
    /// It comes back now.
    case comesBack
    /// It comes back after a day, unless the logs arrive.
    case comesBackLater
    /// It waits for the logs.
    case waits
  }

  /// Takes the decisions again, and publishes them, without a synchronisation.
  ///
  /// - Parameters:
  ///   - isForced: whether to propose now, whatever the gain.
  ///   - reseeds: whether the user states that what is lost will not come back.
  func decideHorizon(isForced: Bool = false, reseeds: Bool = false) throws {
    try store.exchange { connection in
      var exchange = try exchange(StoreIdentity(reading: connection), connection)
      try checkPresent(exchange, reseed: false)
      try exchange.look()
      if try decideHorizon(exchange, [], isForced: isForced, reseeds: reseeds) { return }
      try writeManifest(exchange)
    }
  }

  /// Does some of the work that nothing waits for: writes the baseline of the horizon that the store obeys,
  /// or removes what is below the horizon by which it has forgotten.
  ///
  /// - Returns: whether there may be more to do.
  func horizonStep() throws -> Bool {
    let work = horizon.withLock { $0 }
    guard work.hasWork else { return false }
    if let declaration = work.writes {
      horizon.withLock { $0.writes = nil }
      do {
        let report = try writeBaseline(of: declaration)
        horizon.withLock { $0.written = report }
      } catch let error as SyncError where error.code == .logsMissing {
        // The next synchronisation tries again: nothing is removed before, and nothing waits for it. But if
        // this store has forgotten, by this or an earlier declaration, and every baseline is damaged or gone,
        // then only a later horizon helps, one that the store has exactly. The same holds if what came after
        // the horizon is lost.
        let isForgotten = try store.exchange { connection in
          try HorizonNotes.noteLoss(environment.clock.milliseconds(), in: connection)
          return try HorizonRecord(connection).settled == declaration
        }
        guard work.hasLost || work.lacksBaseline || isForgotten else { return false }
        try decideHorizon(isForced: true)
        // A store that is alone has thereby declared a later one.
        return isForgotten && horizon.withLock { $0.writes.map { $0 != declaration } ?? false }
      }
      // The store may forget now.
      try decideHorizon()
      return true
    }
    let isDone = try store.background { connection in
      var exchange = try exchange(StoreIdentity(reading: connection), connection)
      try checkPresent(exchange, reseed: false)
      try exchange.look()
      return try !HorizonRemoval(
        exchange: exchange, policy: environment.horizons, limit: environment.segments.removalLimit
      ).step()
    }
    // The next synchronisation finds out whether more can be removed.
    if isDone { horizon.withLock { $0.removes = false } }
    return !isDone
  }

  /// Writes the baseline that declares a horizon which the store obeys.
  func writeBaseline(of declaration: Declaration) throws -> BaselineReport {
    let lock = try StoreLock(store.path, for: .baseline)
    defer { lock.release() }
    return try store.background { connection in
      var exchange = try exchange(StoreIdentity(reading: connection), connection)
      try exchange.look()
      return try HorizonBaseline(
        exchange: exchange, store: store.path, declaration: declaration
      ).write()
    }
  }
}
