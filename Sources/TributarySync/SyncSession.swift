import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryMerge
import TributarySQLite
public import TributaryStore

/// Synchronises one store with its container, for one thread at a time; others wait.
public final class SyncSession: Sendable {
  public let store: LocalStore
  let environment: Environment
  /// The same for those who only look, and do not wait for who synchronises.
  let looking: Environment
  let follower = ImportFollower()
  let verified = VerifiedSegments()
  private let manifest = Mutex<ManifestState?>(nil)
  private let verdict = Mutex<AgreementVerdict?>(nil)
  private let hasTidied = Atomic(false)
  private let idling = Mutex(Idling())

  private struct Idling {
    /// The last synchronisation found nothing to do; only then may a look spare the next one.
    var wasIdle = false
    /// How it looked before that.
    var look: ContainerLook?
  }
  /// The last look at the store's own files found them as they should be.
  private let isKnownWhole = Atomic(false)

  /// Opens an attached store.
  public convenience init(store path: String, environment: Environment = Environment()) throws {
    let clock = environment.clock
    self.init(
      store: try LocalStore(path: path, milliseconds: { clock.milliseconds() }),
      environment: environment)
  }

  public init(store: LocalStore, environment: Environment = Environment()) {
    self.store = store
    self.environment = environment.bounded()
    looking = environment.bounded(most: Environment.lookLimit)
    follower.start(store)
  }

  /// Publishes what is unpublished and imports what has arrived.
  ///
  /// - Parameter reseed: publishes everything again where the store's own directory is gone.
  /// - Parameter didImport: is called after each commit with what it brought; also with what other
  ///   processes have imported since the session began and was not told yet.
  /// - Throws: what is wrong with the store itself. What is wrong with the container is in the
  ///   report.
  public func synchronize(
    reseed: Bool = false, didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> SyncReport {
    try store.exchange { connection in
      try follow(connection, before: nil, didImport)
      let identity = try StoreIdentity(reading: connection)
      let directory = try identity.directory()
      var report = SyncReport()
      report.conflicts = try ConflictTable(connection).count()
      defer { note(report.failure, connection) }
      // What cannot be looked at is reported by the steps that need it.
      let look =
        idling.withLock({ $0.wasIdle })
        ? try? ContainerLook(identity, directory, connection, environment) : nil
      if !reseed, let look, idling.withLock({ $0.look == look }) { return report }
      idling.withLock { $0 = Idling() }
      defer {
        if report.isEmpty && report.imported.isEmpty {
          idling.withLock { $0 = Idling(wasIdle: true, look: look) }
        }
      }
      do {
        try checkPresent(identity, directory, connection, reseed: reseed)
      } catch {
        report.failure = error
        return report
      }
      do {
        try makeDirectories(identity, directory)
        tidy(identity, directory)
        isKnownWhole.store(false, ordering: .relaxed)
        report.published = try Publisher(
          identity: identity, connection: connection, environment: environment, directory: directory
        ).publish()
        isKnownWhole.store(true, ordering: .relaxed)
      } catch {
        // Reading may still be possible.
        report.failure = error
      }
      try importAll(identity, directory, connection, into: &report, didImport)
      report.conflicts = try ConflictTable(connection).count()
      do {
        try writeManifest(identity, directory, connection)
      } catch {
        report.failure = report.failure ?? error
      }
      return report
    }
  }

  /// Reading the schema costs more than everything else in a look that finds nothing.
  private func writeManifest(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection
  ) throws {
    let state = ManifestState(
      schemaVersion: try connection.integer("PRAGMA schema_version") ?? 0,
      sequence: try SegmentTable(connection).last(),
      receipt: try KnowledgeTable(connection).current())
    let path = directory.manifest(of: identity.peer)
    if manifest.withLock({ $0 == state }), try environment.fileSystem.status(path) != nil { return }
    // Read again by the one whose turn it is, so that no older one comes after it.
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    try ManifestWriter(
      identity: identity, connection: connection, environment: environment, directory: directory
    ).write()
    manifest.withLock { $0 = state }
  }

  /// What the store's file in the container follows from.
  private struct ManifestState: Equatable {
    var schemaVersion: Int64
    var sequence: SequenceNumber
    var receipt: Knowledge
  }

  /// Removes what a publisher that was killed has left, once in a session.
  private func tidy(_ identity: StoreIdentity, _ directory: ContentDirectory) {
    guard !hasTidied.exchange(true, ordering: .relaxed) else { return }
    for path in [directory.peer(identity.peer), directory.log(of: identity.peer)] {
      // What cannot be removed stands in nobody's way.
      _ = try? environment.fileSystem.removeStaleTemporaries(in: path, clock: environment.clock)
    }
  }

  /// Writes down since when the container has been in trouble, or that it is not any more.
  private func note(_ failure: (any Error)?, _ connection: Connection) {
    let settings = Settings(connection)
    // On a full disk it cannot be, and the report says it all the same.
    if let failure {
      try? ContainerTrouble.note(failure, in: settings, clock: environment.clock)
    } else {
      try? ContainerTrouble.clear(in: settings)
    }
  }

  /// A carrier may have taken the empty directories and left the rest.
  private func makeDirectories(_ identity: StoreIdentity, _ directory: ContentDirectory) throws {
    try environment.makeMissingDirectories(of: identity.peer, in: directory)
  }

  private func importAll(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection,
    into report: inout SyncReport, _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let listing: ContentListing
    do {
      listing = try environment.scan(directory)
    } catch {
      report.failure = report.failure ?? error
      return
    }
    try BlankSchema(connection: connection, environment: environment, directory: directory)
      .fill(from: listing, own: identity.peer)
    if let disagreement = try disagreement(identity, directory, connection, listing) {
      report.failure = report.failure ?? disagreement
      return
    }
    let result = try Importer(
      own: identity.peer, connection: connection, environment: environment, directory: directory,
      listing: listing, verified: verified, follower: follower
    ).run { imported in
      // In the order in which they were committed.
      try follow(connection, before: imported.entry, didImport)
      try didImport(imported)
    }
    report.imported = result.imported
    report.waiting = result.waiting
    try RefusalTable(connection).replace(with: result.waiting)
    report.damaged = result.damaged
    report.failure = report.failure ?? result.failure
    for peer in listing.peers {
      if let failure = peer.failure {
        if failure.isUnresponsive {
          report.failure = report.failure ?? ContainerError(failure)
          continue
        }
        report.damaged.append((directory.log(of: peer.peer), "\(failure)"))
      }
    }
  }

  /// Why nothing may be imported: a peer merges a table otherwise than this store.
  func disagreement(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection,
    _ listing: ContentListing
  ) throws -> SyncError? {
    // Reading schemas and manifests costs more than everything else in a look that finds nothing.
    var files: [PeerIdentity: FileStatus] = [:]
    let others = listing.peers.filter { $0.hasManifest && $0.peer != identity.peer }.map(\.peer)
    // Those that cannot be looked at are read anew when they can.
    let statuses = (try? environment.statuses(others.map(directory.manifest))) ?? []
    for (peer, status) in zip(others, statuses) { files[peer] = status }
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    if let known = verdict.withLock({ $0 }), known.schemaVersion == version, known.files == files {
      return known.disagreement
    }
    var new = AgreementVerdict(schemaVersion: version, files: files)
    do {
      try MergeAgreement(directory: directory, environment: environment).check(
        ReplicatedSchema(connection, selection: TableSelection(connection)), in: listing,
        own: identity.peer)
    } catch let error as SyncError {
      new.disagreement = error
    }
    verdict.withLock { $0 = new }
    return new.disagreement
  }

  /// What the last comparison with the peers followed from, and what it found.
  private struct AgreementVerdict {
    var schemaVersion: Int64
    var files: [PeerIdentity: FileStatus]
    var disagreement: SyncError?
  }

  /// A dead mount leaves an empty directory behind: without our own directory in it, nothing is
  /// written.
  private func checkPresent(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection, reseed: Bool
  ) throws {
    let own = directory.peer(identity.peer)
    let status: FileStatus?
    do {
      status = try environment.fileSystem.status(own)
    } catch {
      throw ContainerError(error)
    }
    if status?.kind == .directory { return }
    if reseed {
      guard try environment.fileSystem.status(directory.container)?.kind == .directory else {
        throw ContainerError(
          .absent, "the container \(directory.container) is not there", path: directory.container,
          remedy: "mount it or make the directory, then sync with --reseed again")
      }
      try SegmentStore(directory, peer: identity.peer, using: environment.fileSystem)
        .makeDirectories()
      try SegmentTable(connection).removeAll()
      return
    }
    let exists = try environment.fileSystem.status(directory.container)?.kind == .directory
    throw exists
      ? ContainerError(
        .wiped, "the container \(directory.container) does not hold this store's directory \(own)",
        path: own,
        remedy:
          "mount the container; if it was wiped or replaced on purpose, `tributary sync --reseed` "
          + "publishes everything again")
      : ContainerError(
        .absent, "the container \(directory.container) is not there", path: directory.container,
        remedy: "mount it; the store works on, and publishes what it has by itself later")
  }

  /// Publishes only: for when nothing can have arrived.
  func publish() throws -> SyncReport {
    try store.exchange { connection in
      var report = SyncReport()
      guard try Outbox(connection).last()?.sequence ?? .zero > SegmentTable(connection).last()
      else {
        return report
      }
      let identity = try StoreIdentity(reading: connection)
      let directory = try identity.directory()
      report.conflicts = try ConflictTable(connection).count()
      do {
        try checkPresent(identity, directory, connection, reseed: false)
        try makeDirectories(identity, directory)
        report.published = try Publisher(
          identity: identity, connection: connection, environment: environment, directory: directory
        ).publish(lookingForLosses: !isKnownWhole.load(ordering: .relaxed))
        try writeManifest(identity, directory, connection)
      } catch {
        report.failure = error
        // That all is well again only a look at everything can tell.
        note(error, connection)
      }
      return report
    }
  }
}

extension StoreIdentity {
  init(reading connection: Connection) throws { self = try Settings(connection).identity() }

  func directory() throws -> ContentDirectory {
    ContentDirectory(
      container: container, root: try ContentRoot(contentRoot), name: try ContentName(contentName))
  }
}
