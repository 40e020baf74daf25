import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Performs `attach`.
struct Attacher {
  let request: AttachRequest
  let environment: StoreEnvironment
  let progress: ((Progress) throws -> Void)?

  private var fileSystem: any FileSystem { environment.fileSystem }

  func attach() throws -> AttachReport {
    let prospect = try AttachProspect(request, environment)
    if !prospect.refusals.isEmpty {
      // The rehearsal's refusals are reported together with these.
      try AttachRehearsal(request: request, environment: environment).report().refusals.check()
      try prospect.refusals.check()
    }
    var report = try makeStore(prospect)
    let connection = try Connection(path: request.store, mode: .readWrite)
    try ForeignCapture.follow(connection) {
      if !report.outcome.isOfPresentStore { try environment.recognition.begin(connection) }
      if let files = try request.extensionFiles(environment) {
        try StoreExtensions(connection, birth: environment.birth).write(files)
      }
      if let limit = request.spaceLimit { try Settings(connection).setSpaceLimit(limit) }
      try SchemaStatements.makeUnmade(in: connection)
    }
    report.followsSchema = try FollowedSchema(connection).isFollowing
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    try report.describe(schema, selection, in: connection, prospect.way)
    report.notes += prospect.unsharedTables(among: schema)
    return report
  }

  private func makeStore(_ prospect: AttachProspect) throws -> AttachReport {
    if prospect.way == .reopening { return try reopen() }
    guard let directory = prospect.directory, let manifests = prospect.manifests else {
      preconditionFailure("a place that is not refused is known")
    }
    let listing = prospect.listing
    // Where values of the database contradict the logs, they must also lose against rows that others have
    // adopted.
    let peer =
      prospect.exists && prospect.hasLogs
      ? environment.makeIdentity().preceding(listing.peers.map(\.peer)) : environment.makeIdentity()
    let identity = StoreIdentity(
      peer: peer, peerName: request.peerName ?? HostName.current,
      container: directory.container, contentRoot: directory.root.text,
      contentName: directory.name.text)
    // This comes before the database changes: it shows whether the container can be written.
    let made = try directories(of: directory).filter { try fileSystem.status($0) == nil }
    try SegmentStore(directory, peer: identity.peer, using: fileSystem).makeDirectories()
    do {
      var report =
        switch prospect.way {
        case .joining:
          try Joiner(
            request: request, identity: identity, environment: environment, directory: directory,
            listing: listing, manifests: manifests, progress: progress
          ).join(exists: prospect.exists)
        case .adopting:
          try adopt(
            identity, manifests,
            isAlone: environment.horizons.isOn
              && listing.peers.allSatisfy {
                $0.peer == peer || manifests.all[$0.peer]?.hasRemovedLogs == true
              })
        case .creating, .reopening: try create(identity, manifests)
        }
      report.notes += try announce(identity, directory)
      do { try migrate(manifests) } catch { throw Self.attached(error) }
      return report
    } catch {
      if !mayBeAttached(as: identity) { withdraw(identity, directory, made) }
      throw error
    }
  }

  /// Adds to a failed migration's error that the database is attached all the same: its rows may have to be
  /// changed before the migration can run.
  private static func attached(_ error: any Error) -> any Error {
    guard var error = error as? StoreError, error.code == .migration else { return error }
    error.remedy += "; the database is attached, and the migrations before this one have run"
    return error
  }

  /// Returns the directories that may have to be created for the first store of a content name, the innermost
  /// first.
  private func directories(of directory: ContentDirectory) -> [String] {
    var directories = [directory.peers]
    while let last = directories.last,
      last.parentDirectory.utf8.count > directory.container.utf8.count
    {
      directories.append(last.parentDirectory)
    }
    return directories
  }

  /// Runs the migrations that no other device has run. No log contains their rows.
  private func migrate(_ manifests: PeerManifests) throws {
    if request.migrations.isEmpty { return }
    let store = try environment.openStore(at: request.store)
    defer { store.close() }
    try store.migrate(
      request.migrations, declaring: request.merge, request.work(progress),
      isWritten: manifests.haveWritten)
  }

  /// Applies or refuses the request for a store that is already attached.
  private func reopen() throws -> AttachReport {
    let store = try environment.openStore(at: request.store)
    let former = try store.identity()
    let settings = try AttachedSettings(store)
    try store.service { try ReopeningExamination(request, $0, environment) }.refusals.check()
    try Reopening(store: store, environment: environment).settle(request, progress)
    let identity = try store.identity()
    let directory = try identity.directory()
    let manifests = ManifestCache().read(
      try AttachProspect.listing(directory, environment), in: directory, environment)
    let agreement = MergeAgreement(
      manifests: manifests,
      extensions: Connection.companions(ofDatabase: request.store))
    try store.inherit(
      agreement.declared(except: identity.peer), exceptFor: request.merge)
    let merge = request.merge ?? MergeOptions()
    try agreement.check(store.schema(declaring: merge), own: identity.peer)
    try store.declare(merge)
    if let names = request.copyOnce { try store.copyOnce(names) }
    if let capture = request.capture { try store.choose(capture) }
    // The next synchronisation handles a file that states more than the store remembers. One that cannot be
    // read states nothing, and is written anew.
    let last = try store.exchange { try Outbox($0).last()?.sequence ?? .zero }
    let unannounced =
      try manifests.all[identity.peer].map { $0.sequence <= last } ?? true
      ? announce(identity, directory) : []
    let isMoved =
      former.container != identity.container || former.contentRoot != identity.contentRoot
    if let limit = request.spaceLimit {
      try store.service { try Settings($0).setSpaceLimit(limit) }
    }
    var report = AttachReport(outcome: isMoved ? .moved : .alreadyAttached, identity: identity)
    report.applied = try settings.changes(to: AttachedSettings(store))
    report.notes = unannounced
    return report
  }

  private func create(
    _ identity: StoreIdentity, _ manifests: PeerManifests
  ) throws -> AttachReport {
    let staging = Staging(target: request.store, fileSystem: environment.localFiles)
    try staging.build {
      let connection = try Connection(path: staging.path, mode: .create)
      try connection.execute("PRAGMA synchronous = OFF")
      try connection.heeding(request.cancellation) {
        try Migration.run(request.migrations, in: connection, request.work(progress))
      }
      connection.close()
      try AgreedAttachment(request: request, manifests: manifests, progress: progress).perform(
        identity, selection: request.tables ?? .all, at: staging.path, durably: false, adopts: true)
    }
    return AttachReport(outcome: .created, identity: identity)
  }

  private func adopt(
    _ identity: StoreIdentity, _ manifests: PeerManifests, isAlone: Bool
  ) throws -> AttachReport {
    let connection = try Connection(path: request.store, mode: .readWrite)
    let isEmpty = try SchemaTables.areNone(in: connection)
    if !isEmpty { try request.checkMigrations(connection) }
    connection.close()
    let rows = try AgreedAttachment(
      request: request, manifests: manifests, isAlone: isAlone, progress: progress
    ).perform(
      identity, selection: request.tables ?? .all, at: request.store, migrates: isEmpty,
      adopts: true)
    return AttachReport(outcome: isEmpty ? .created : .adopted(rows: rows), identity: identity)
  }

  /// Makes the store known in the container, and writes a baseline if nothing else would contain its rows.
  ///
  /// - Returns: why that was not possible. The store is attached by now: each synchronisation writes these files if
  ///   they are missing.
  private func announce(
    _ identity: StoreIdentity, _ directory: ContentDirectory
  ) throws -> [AttachNote] {
    let connection = try Connection(path: request.store, mode: .readWrite)
    do {
      var exchange = Exchange(identity, connection, environment, directory)
      if let declaration = try HorizonRecord(connection).settled,
        declaration.members == [identity.peer]
      {
        try exchange.look()
        _ = try BaselineWriter(
          exchange: exchange, store: request.store, declaration: declaration
        ).write()
      }
      try ForeignCapture.follow(connection) { try exchange.writeManifest() }
      return []
    } catch {
      guard error is ContainerError || error is FileError || error is SQLiteError else {
        throw error
      }
      let reason = environment.explaining((error as? FileError).map { ContainerError($0) } ?? error)
      return [
        AttachNote(
          .warning, "the store is attached, but could not be made known to other devices: \(reason)"
        )
      ]
    }
  }

  /// Whether the database may have the identity: the failure may have come after the commit that gave it the
  /// identity.
  private func mayBeAttached(as identity: StoreIdentity) -> Bool {
    do {
      guard try environment.localFiles.status(request.store) != nil else { return false }
      let connection = try Connection(path: request.store, mode: .readWrite)
      defer { connection.close() }
      return try Settings.exist(in: connection)
        && Settings(connection).identity().peer == identity.peer
    } catch {
      return true
    }
  }

  /// Removes the empty directories of a store that was not attached from the container, and those above them
  /// that were created for it.
  private func withdraw(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ made: [String]
  ) {
    let own = [
      directory.log(of: identity.peer), directory.baseline(of: identity.peer),
      directory.peer(identity.peer),
    ]
    for path in own + made {
      // A directory that cannot be removed is empty and does no harm.
      try? fileSystem.remove(path)
    }
  }
}
