import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Synchronises one store with its container. One thread at a time may do so; others wait.
package final class SyncSession: Sendable {
  package let store: LocalStore
  let environment: StoreEnvironment
  /// The environment for operations that only read and do not wait for a synchronisation.
  let looking: StoreEnvironment
  let follower = ImportFollower()
  let memory: ExchangeMemory
  let continuation = Mutex<ContinuationState?>(nil)
  let adoption = Mutex<AdoptionState?>(nil)
  let commons = Mutex<AdoptionState?>(nil)
  let manifest = Mutex<ManifestState?>(nil)
  let verdict = Mutex<AgreementVerdict?>(nil)
  let hasTidied = Atomic(false)
  let hasTidiedStore = Atomic(false)
  /// SQLite's schema version at the last search for dropped tables.
  let examinedSchema = Mutex<Int64?>(nil)
  /// Whether the store may have recorded when something began to be missing.
  let hasDelays = Atomic(true)
  /// When the present day must be recorded, in milliseconds since 1970.
  let dayDue = Atomic<UInt64>(0)
  /// What is known about the limit of the store's disk use.
  let space = Mutex(SpaceState())
  let horizon = Mutex(HorizonMemory())
  /// Why own segments could not be compacted the last time.
  let compactionFailure = Mutex<(any Error)?>(nil)
  let measured = Mutex(StoreMetrics())
  private let place = Mutex<(identity: StoreIdentity, directory: ContentDirectory)?>(nil)
  private let idling = Mutex(Idling())
  /// Whether it is possible that nothing has changed since another session: this one has not looked yet.
  let mayBeMarked = Atomic(true)

  private struct Idling {
    /// Whether the last synchronisation found nothing to do. Only then may a look replace the next one.
    var wasIdle = false
    /// The look before that synchronisation.
    var look: ContainerLook?
    /// The look after it.
    var next: ContainerLook?
    /// The state of the store at the last report that there was nothing to do.
    var store: StoreLook?
  }
  /// Whether the last look found the store's own files in order.
  private let isKnownWhole = Atomic(false)

  /// Opens an attached store.
  ///
  /// - Parameter onlyLooks: whether to open it even where its disk is full, for `status` alone.
  package convenience init(
    store path: String, environment: StoreEnvironment = StoreEnvironment(),
    onlyLooks: Bool = false
  ) throws {
    self.init(
      store: try environment.openStore(at: path, onlyLooks: onlyLooks), environment: environment)
  }

  package init(store: LocalStore, environment: StoreEnvironment = StoreEnvironment()) {
    self.store = store
    self.environment = environment.bounded()
    memory = ExchangeMemory(fewest: environment.fewestRememberedPeers)
    looking = environment.bounded(most: StoreEnvironment.lookLimit)
    follower.start(store)
  }

  /// Publishes what is unpublished and imports what has arrived.
  ///
  /// - Parameter reseed: whether to publish everything again if the store's own directory is gone and,
  ///   otherwise, whatever is not in it as it was written.
  /// - Parameter didImport: called after each commit with what it imported, and with imports by other
  ///   processes since the session began that have not been reported yet.
  /// - Throws: what is wrong with the store itself. The report states what is wrong with the container.
  package func synchronize(
    reseed: Bool = false, didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> SyncReport {
    var report = try exchange(reseed: reseed, didImport: didImport)
    try comeBackIfUnfit(reseeds: reseed, into: &report, didImport)
    try compactSome(into: &report)
    let now = environment.clock.milliseconds()
    report.damaged += memory.baselines.damaged(
      before: now - min(now, Delay.filePatience), environment)
    // Compacting may have freed space.
    if report.space != nil { report.space = try measureSpace() }
    return report
  }

  /// Returns what a synchronisation would report if nothing has changed since one that found nothing to do;
  /// otherwise `nil`.
  package func quietReport() throws -> SyncReport? {
    try store.exchange { connection in
      let look = try StoreLook(connection)
      guard try compare(look, directory(of: look.identity)).isQuiet else { return nil }
      idling.withLock { $0.store = look }
      note(nil, connection)
      return quietReport(look)
    }
  }

  /// Returns what `quietReport` returned, if the container has not changed since then. Does not open the
  /// store, which must not have changed either.
  func unopenedReport() -> SyncReport? {
    guard let look = idling.withLock({ $0.store }),
      let directory = try? directory(of: look.identity),
      compare(look, directory).isQuiet
    else { return nil }
    return quietReport(look)
  }

  private func quietReport(_ look: StoreLook) -> SyncReport {
    var report = SyncReport()
    report.conflicts = look.conflicts
    report.space = spaceNotice
    measureQuiet()
    return report
  }

  /// Returns whether nothing has changed since a synchronisation that found nothing to do, and what was seen
  /// in the container if it was examined.
  private func compare(
    _ store: StoreLook, _ directory: ContentDirectory
  ) -> (isQuiet: Bool, look: ContainerLook?) {
    guard !store.isForeign, let state = store.state, !isDayDue, !isArrivalDue,
      idling.withLock({ $0.wasIdle })
    else { return (false, nil) }
    // The steps that need what cannot be examined report it.
    guard let look = try? ContainerLook(state, store.identity.peer, directory, environment, memory)
    else { return (false, nil) }
    return idling.withLock { idling in
      idling.next = look
      return (idling.look == look, look)
    }
  }

  /// Publishes and imports, leaving own segments as they are.
  ///
  /// - Parameter isLookedAt: whether it is already known that something has changed.
  func exchange(
    reseed: Bool = false, isLookedAt: Bool = false,
    didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> SyncReport {
    try store.exchange { connection in
      try follow(connection, before: nil, didImport)
      try stopTables(connection)
      tidyStore()
      let start = try StoreLook(connection)
      // What triggers have captured is treated like any own write.
      if start.isForeign { try store.recordForeignWrites() }
      // Another process may have changed the identity.
      store.note(peer: start.identity.peer)
      var exchange = try exchange(start.identity, connection)
      var report = SyncReport()
      report.conflicts = start.conflicts
      report.stopped = try StoppedTables(connection).findings()
      report.space = spaceNotice
      defer { note(report.failure, connection) }
      // What is seen now need not be looked at again.
      var seen: ContainerLook?
      var quiet: QuietLook?
      if !reseed, !isLookedAt {
        let found = compare(start, exchange.directory)
        if try found.isQuiet || isMarkedQuiet(start, exchange, &quiet) {
          measureQuiet()
          return report
        }
        seen = found.look
      }
      // A synchronisation that throws has not found out whether there is anything to do.
      var isComplete = false
      defer { measure(report, connection, isWhole: isComplete) }
      let look = idling.withLock { idling in
        defer { idling = Idling() }
        return idling.next
      }
      defer {
        if !memory.vanishing.take(),
          isComplete && report.isEmpty && report.imported.isEmpty
            && report.delays.isEmpty && !horizon.withLock(\.isRestless)
        {
          idling.withLock { $0 = Idling(wasIdle: true, look: look) }
          keep(quiet, report, connection)
        }
      }
      // A failure here may have removed segments.
      isKnownWhole.store(false, ordering: .relaxed)
      horizon.withLock { $0.arrivalDue = nil }
      do {
        try checkPresent(exchange, reseed: reseed)
        try self.look(&exchange, seen, &quiet)
      } catch {
        report.failure = error
        return report
      }
      var isContinuation = false
      // No import may overwrite what another program has written and no process has recorded.
      var unrecorded: (any Error)?
      do {
        try environment.restoreDirectories(of: exchange.own, in: exchange.directory)
        tidy(exchange)
        while true {
          try renew(&exchange, reseed: reseed, into: &report, didImport)
          let present = try StoreIdentity(reading: connection)
          guard present.peer != exchange.own else { break }
          exchange.identity = present
          store.note(peer: exchange.own)
          // Before others import the store's log, they must know what it continues.
          try writeManifest(exchange)
          try exchange.look()
        }
        isContinuation = true
        try exchange.settleStrays()
        if start.isForeign { unrecorded = try recordForeignWrites(into: &report) }
        let keyless = KeylessRows(connection)
        if try !keyless.isEmpty {
          if try keyless.release() { unrecorded = try recordForeignWrites(into: &report) }
          report.keyless = try keyless.findings()
        }
        // What a carrier or a disk has changed in place is noticed only when it is read: once a day.
        report.published = try exchange.publish(verifying: reseed || isDayNew(connection))
        isKnownWhole.store(true, ordering: .relaxed)
      } catch {
        // Reading may still be possible.
        report.failure = environment.explaining(error)
      }
      if unrecorded == nil {
        try importAll(exchange, into: &report, didImport)
      } else if isContinuation {
        try passOverComparison(exchange, into: &report, reseeds: reseed)
      }
      if isContinuation, report.failure == nil, !report.delays.isEmpty {
        do {
          let hasSupplied = try supplyCommon(exchange)
          if try isAdoptionDue(report, reseed: reseed) && adopt(exchange) || hasSupplied {
            try exchange.look()
            try importAll(exchange, into: &report, didImport)
          }
        } catch {
          report.failure = error
        }
      }
      if isContinuation, report.failure == nil {
        do {
          // A lack of space is a reason to propose.
          try measureSpace(exchange)
          while report.failure == nil, try decideHorizon(exchange, report.outside, reseeds: reseed)
          {
            try importAll(exchange, into: &report, didImport)
          }
        } catch {
          report.failure = error
        }
      }
      report.conflicts = try ConflictTable(connection).count()
      isComplete = true
      keepNotes(exchange)
      // The file may contain news about a store whose identity is shared.
      guard isContinuation else { return report }
      do {
        try writeManifest(exchange)
        if report.failure == nil { try exchange.removeWithdrawn() }
        if report.failure == nil { noteDay(exchange) } else { try measureSpace(exchange) }
        report.space = spaceNotice
      } catch {
        report.failure = report.failure ?? error
      }
      return report
    }
  }

  private func importAll(
    _ exchange: Exchange, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let (connection, manifests) = (exchange.connection, exchange.manifests)
    if let failure = manifests.failure {
      report.failure = report.failure ?? failure
      return
    }
    try BlankSchema(connection: connection).fill(from: manifests, own: exchange.own)
    let agreement = try agreement(exchange)
    report.disagreements = agreement.ofMigrations
    report.stopped += agreement.twofold.filter { !report.stopped.contains($0) }
    if let disagreement = agreement.disagreement {
      report.failure = report.failure ?? disagreement
      return
    }
    try SpentNumbers(connection).take(from: manifests)
    try NameChanges.take(from: manifests, into: connection)
    var unrecorded: (any Error)?
    var disagreement: SyncError?
    var found = SyncReport()
    let importer = try Importer(
      exchange: exchange, follower: follower,
      recordForeignWrites: {
        unrecorded = try self.recordForeignWrites(into: &found)
        if let unrecorded { throw unrecorded }
      },
      checkAgreement: { version in
        // Another process may have changed the schema or the declarations since, and with them the schema
        // version.
        if agreement.schemaVersion == version { return }
        disagreement = try self.disagreement(exchange)
        if let disagreement { throw disagreement }
      })
    let result: Importer.Result
    defer { report.uncaptured = report.uncaptured ?? found.uncaptured }
    do {
      result = try importer.run { imported in
        // Imports are reported in the order of their commits.
        try follow(connection, before: imported.entry, didImport)
        try didImport(imported)
      }
    } catch {
      guard let cause = unrecorded ?? disagreement else { throw error }
      report.failure = report.failure ?? cause
      return
    }
    report.imported.append(result.imported)
    report.waiting = result.waiting
    report.outside = result.outside
    try RefusalTable(connection).replace(with: result.waiting)
    report.damaged = result.damaged
    report.failure = report.failure ?? result.failure
    for peer in exchange.listing.peers {
      if let failure = peer.failure {
        let error = ContainerError(failure)
        if error.code == .unresponsive || error.isOfThisDevice {
          report.failure = report.failure ?? error
          continue
        }
        report.damaged.append((exchange.directory.log(of: peer.peer), "\(failure)"))
      }
    }
    report.damaged += exchange.manifests.damagedFiles
    try settleDelays(exchange, into: &report)
    report.damaged += exchange.manifests.newer.map { ($0.path ?? "", "\($0)") }
    report.failure = report.failure ?? exchange.manifests.denied.first
    report.failure = report.failure.map(environment.explaining)
  }

  /// Makes the next synchronisation write `peer.json`, whether or not anything else has changed.
  func forgetManifest() {
    manifest.withLock { $0 = nil }
    mayBeMarked.store(false, ordering: .relaxed)
    idling.withLock { $0 = Idling() }
  }

  func exchange(_ identity: StoreIdentity, _ connection: Connection) throws -> Exchange {
    Exchange(identity, connection, environment, try directory(of: identity), memory)
  }

  /// Returns the directory of the store's content. Checking the names each time would take half the time of a
  /// synchronisation that finds nothing.
  func directory(of identity: StoreIdentity) throws -> ContentDirectory {
    try place.withLock { place in
      if let place, place.identity == identity { return place.directory }
      let directory = try identity.directory()
      place = (identity, directory)
      return directory
    }
  }

  /// Only publishes. For when nothing can have arrived.
  package func publish() throws -> SyncReport {
    // A synchronisation finds uncaptured writes: here, that would compare the tables after each commit.
    try store.recordForeignWrites()
    return try store.exchange { connection in
      var report = SyncReport()
      report.keyless = try KeylessRows(connection).findings()
      report.space = spaceNotice
      guard try Outbox(connection).last()?.sequence ?? .zero > SegmentTable(connection).last()
      else { return report }
      let exchange = try exchange(StoreIdentity(reading: connection), connection)
      report.conflicts = try ConflictTable(connection).count()
      defer { measure(report, connection, isWhole: false) }
      do {
        try checkPresent(exchange, reseed: false)
        try environment.restoreDirectories(of: exchange.own, in: exchange.directory)
        report.published = try exchange.publish(
          lookingForLosses: !isKnownWhole.load(ordering: .relaxed))
        try writeManifest(exchange)
      } catch {
        report.failure = error
        isKnownWhole.store(false, ordering: .relaxed)
        // Only a full examination can show that all is well again.
        note(error, connection)
      }
      return report
    }
  }
}
