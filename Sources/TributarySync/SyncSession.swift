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
  let verified = VerifiedSegments()
  private let manifest = Mutex<PublishedManifest?>(nil)
  private let verdict = Mutex<AgreementVerdict?>(nil)
  private let hasTidied = Atomic(false)
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
    self.environment = environment
  }

  /// Publishes what is unpublished and imports what has arrived.
  ///
  /// - Parameter reseed: publishes everything again where the store's own directory is gone.
  /// - Parameter didImport: is called after each commit with what it brought.
  /// - Throws: what is wrong with the store itself. What is wrong with the container is in the
  ///   report.
  public func synchronize(
    reseed: Bool = false, didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> SyncReport {
    try store.service { connection in
      let identity = try StoreIdentity(reading: connection)
      let directory = try identity.directory()
      var report = SyncReport()
      report.conflicts = try ConflictTable(connection).count()
      do {
        try checkPresent(identity, directory, connection, reseed: reseed)
      } catch {
        report.failure = error
        return report
      }
      do {
        try tidy(identity, directory)
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
    let published = manifest.withLock { $0 }
    // A carrier may have taken it, or brought an older one back.
    if published?.state == state, let file = published?.file,
      try environment.fileSystem.status(path) == file
    {
      return
    }
    try ManifestWriter(
      identity: identity, connection: connection, environment: environment, directory: directory
    ).write(isReceiptDurable: published?.state.receipt == state.receipt)
    let file = try environment.fileSystem.status(path)
    manifest.withLock { $0 = PublishedManifest(state: state, file: file) }
  }

  /// The store's file in the container as it was last seen there.
  private struct PublishedManifest {
    var state: ManifestState
    var file: FileStatus?
  }

  /// What the store's file in the container follows from.
  private struct ManifestState: Equatable {
    var schemaVersion: Int64
    var sequence: SequenceNumber
    var receipt: Knowledge
  }

  /// Removes what a publisher that was killed has left, once in a session.
  private func tidy(_ identity: StoreIdentity, _ directory: ContentDirectory) throws {
    guard !hasTidied.exchange(true, ordering: .relaxed) else { return }
    for path in [directory.peer(identity.peer), directory.log(of: identity.peer)] {
      try environment.fileSystem.removeStaleTemporaries(in: path, clock: environment.clock)
    }
  }

  private func importAll(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection,
    into report: inout SyncReport, _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let listing: ContentListing
    do {
      listing = try ContainerScanner(directory, using: environment.fileSystem).scan()
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
      listing: listing, verified: verified
    ).run(didCommit: didImport)
    report.imported = result.imported
    report.waiting = result.waiting
    try RefusalTable(connection).replace(with: result.waiting)
    report.damaged = result.damaged
    for peer in listing.peers {
      if let failure = peer.failure {
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
    for peer in listing.peers where peer.hasManifest && peer.peer != identity.peer {
      // One that cannot be looked at is read anew when it can.
      files[peer.peer] = try? environment.fileSystem.status(directory.manifest(of: peer.peer))
    }
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
    let settings = Settings(connection)
    let status: FileStatus?
    do {
      status = try environment.fileSystem.status(own)
    } catch {
      try noteMissing(settings)
      throw ContainerError(error)
    }
    if status?.kind == .directory {
      if try settings[.missingSince] != nil { try settings.set(.missingSince, nil) }
      // A carrier may have taken the empty directories and left the rest.
      try SegmentStore(directory, peer: identity.peer, using: environment.fileSystem)
        .restoreDirectories()
      return
    }
    if reseed {
      guard try environment.fileSystem.status(directory.container)?.kind == .directory else {
        throw ContainerError(
          .absent, "the container \(directory.container) is not there", path: directory.container,
          remedy: "mount it or make the directory, then sync with --reseed again")
      }
      try SegmentStore(directory, peer: identity.peer, using: environment.fileSystem)
        .makeDirectories()
      try SegmentTable(connection).removeAll()
      try settings.set(.missingSince, nil)
      return
    }
    try noteMissing(settings)
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

  private func noteMissing(_ settings: Settings) throws {
    guard try settings[.missingSince] == nil else { return }
    try settings.set(
      .missingSince, .integer(Int64(clamping: environment.clock.milliseconds())))
  }

  /// Publishes only: for when nothing can have arrived.
  func publish() throws -> SyncReport {
    try store.service { connection in
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
        report.published = try Publisher(
          identity: identity, connection: connection, environment: environment, directory: directory
        ).publish(lookingForLosses: !isKnownWhole.load(ordering: .relaxed))
        try writeManifest(identity, directory, connection)
      } catch {
        report.failure = error
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
