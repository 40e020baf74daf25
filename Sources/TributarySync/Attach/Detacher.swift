import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Performs `detach`.
struct Detacher {
  let path: String
  let environment: StoreEnvironment

  /// Detaches the store.
  ///
  /// - Parameter leavingUnpublished: whether to continue if the store's writes cannot be published.
  /// - Returns: how much of the removed logs other devices have.
  func detach(removeLogs: Bool, leavingUnpublished: Bool) throws -> DetachReport {
    try StorePath.checkPresent(path)
    if try removeLeftovers() { return DetachReport() }
    if !removeLogs, !leavingUnpublished { try publishAll() }
    let database = try ExclusiveDatabase(path: path)
    defer { database.release() }
    let connection = database.connection
    guard try Settings.exist(in: connection) else { throw Self.isNone(path) }
    let identity = try Settings(connection).identity()
    let former = try FormerIdentities(connection).all().map(\.peer)
    let isOriginal = try CopyTable(connection).first() == nil
    var report = DetachReport()
    if removeLogs {
      try checkOriginal(connection, identity)
      try checkPresent(identity)
      report = try DetachReport(before: identity, connection, environment)
    } else if !leavingUnpublished,
      try Self.unpublished(connection) > 0 || ForeignCapture(connection).isPending()
    {
      throw SyncError(
        .inUse, "another process has written to it meanwhile", path: path,
        remedy: "stop that program, then detach again")
    }
    try connection.immediate {
      try ForeignCapture(connection).remove()
      let statement = try connection.prepare(
        """
        SELECT type, name FROM sqlite_schema
        WHERE type IN ('table', 'index') AND name LIKE 'tributary\\_%' ESCAPE '\\'
          AND (type = 'table' OR tbl_name NOT LIKE 'tributary\\_%' ESCAPE '\\')
        ORDER BY rowid DESC
        """)
      var names: [(type: String, name: String)] = []
      while try statement.step() { names.append((statement.string(0), statement.string(1))) }
      statement.reset()
      for (type, name) in names {
        try connection.execute("DROP \(type) \(name.quotedIdentifier)")
      }
      // This comes last, so that a failure leaves a store that can be detached again.
      if removeLogs {
        try remove(identity)
      } else if isOriginal {
        report.silence = sayGone(identity)
      }
    }
    for peer in [identity.peer] + former {
      environment.witness.dismiss(connection.filePath, of: peer)
    }
    return report
  }

  /// Removes the triggers of a store whose bookkeeping a program has dropped. Anything else that is left
  /// there under names of the bookkeeping stays: it does no harm.
  ///
  /// - Returns: whether the store was in this state.
  private func removeLeftovers() throws -> Bool {
    let reader = try Connection(path: path, mode: .readWrite)
    let isAbandoned = try ForeignCapture(reader).isAbandoned()
    reader.close()
    guard isAbandoned else { return false }
    let database = try ExclusiveDatabase(path: path)
    defer { database.release() }
    try database.connection.immediate { try ForeignCapture(database.connection).removeAbandoned() }
    return true
  }

  private static func isNone(_ path: String) -> StoreError {
    StoreError(
      .notAttached, "the database is not attached to a container", path: path,
      remedy: "there is nothing to detach")
  }

  /// Returns the number of the store's own transactions that are in no segment.
  private static func unpublished(_ connection: Connection) throws -> UInt64 {
    let last = try Outbox(connection).last()?.sequence ?? .zero
    let published = try SegmentTable(connection).last()
    return last > published ? last.rawValue - published.rawValue : 0
  }

  /// Returns the number of the store's own transactions that are in no file.
  private static func unpublished(of session: SyncSession) throws -> UInt64 {
    try session.store.exchange { connection in
      let unpublished = try unpublished(connection)
      if unpublished > 0 { return unpublished }
      var exchange = try session.exchange(StoreIdentity(reading: connection), connection)
      do {
        try exchange.look()
      } catch is ContainerError {
        // What was published cannot be examined, and counts.
        return 0
      } catch is FileError {
        return 0
      }
      return try exchange.unwritten()
    }
  }

  /// Publishes everything: without the bookkeeping, it would be impossible to tell what the other devices
  /// lack.
  private func publishAll() throws {
    try StorePath.checkPresent(path)
    guard try LocalStore.isAttached(at: path) else { throw Self.isNone(path) }
    let session = try SyncSession(store: path, environment: environment)
    try Self.publishAll(of: session) { try session.synchronize() }
  }

  /// Publishes everything that a store has written.
  ///
  /// - Throws: also `SyncError` with the code `unpublished` if something is left.
  static func publishAll(of session: SyncSession, _ synchronize: () throws -> SyncReport) throws {
    // What other programs have written is unpublished too.
    if let failure = try session.recordForeignWrites().failure { throw failure }
    guard try unpublished(of: session) > 0 else { return }
    let report = try synchronize()
    let left = try unpublished(of: session)
    guard left > 0 else { return }
    throw SyncError(
      .unpublished,
      "\(left) of its transactions \(left == 1 ? "is" : "are") not published: other devices lack "
        + "\(left == 1 ? "it" : "them")" + (report.failure.map { " (\($0))" } ?? ""),
      path: session.store.path,
      remedy:
        "run `tributary sync` until it succeeds, then detach again; with --leave-unpublished it is "
        + "detached anyway, and counts as an ordinary database when it is attached again")
  }

  /// Checks that the logs to be removed are present.
  private func checkPresent(_ identity: StoreIdentity) throws {
    let peers = try identity.directory().peers
    guard try environment.fileSystem.status(peers)?.kind == .directory else {
      throw ContainerError(
        .absent,
        "the container \(identity.container) is not there, with the logs that are to be removed",
        path: peers, remedy: "mount it, or detach without --remove-logs")
    }
  }

  /// Checks that the store is not a copy. A copy has not written the logs under the identity that it still
  /// has.
  private func checkOriginal(_ connection: Connection, _ identity: StoreIdentity) throws {
    try environment.recognition.look(at: connection)
    guard try CopyTable(connection).first() != nil else { return }
    throw SyncError(
      .copied, "the file is a copy, and the logs of \(identity.peer) are those of the original",
      path: path, remedy: "detach it without --remove-logs")
  }

  /// Says in the store's `peer.json` that it is gone, so that no other device waits for it.
  ///
  /// - Returns: what prevented it; `nil` if nothing did. The other devices find out in time that the store is
  ///   silent.
  private func sayGone(_ identity: StoreIdentity) -> String? {
    do {
      let directory = try identity.directory()
      guard
        var manifest = try PeerManifest.read(
          of: identity.peer, in: directory, using: environment.fileSystem)
      else { return "\(directory.manifest(of: identity.peer)) is not there" }
      manifest.retired.insert(identity.peer)
      try manifest.publish(in: directory, using: environment.fileSystem)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Removes what the store has published. Its directory keeps only a `peer.json`, so that others do not wait
  /// for the store.
  private func remove(_ identity: StoreIdentity) throws {
    let directory = try identity.directory()
    let fileSystem = environment.fileSystem
    let rest = try lastManifest(of: identity, in: directory)
    for folder in [directory.log(of: identity.peer), directory.baseline(of: identity.peer)] {
      guard try fileSystem.status(folder) != nil else { continue }
      for entry in try fileSystem.list(folder) where entry.kind != .directory {
        try fileSystem.remove(folder.appending(component: entry.name))
      }
      try fileSystem.remove(folder)
    }
    let own = directory.peer(identity.peer)
    // No directory is made: the container may be an empty mount point.
    guard try fileSystem.status(own) != nil else { return }
    for entry in try fileSystem.list(own)
    where entry.kind != .directory && entry.name != PeerManifest.fileName {
      try fileSystem.remove(own.appending(component: entry.name))
    }
    // This comes last, so that a store that stays attached does not say that it is gone.
    try rest.publish(in: directory, using: fileSystem)
  }

  /// Returns the `peer.json` of a store whose logs are removed. It says that no store writes under the
  /// identity any more, nor under those that the store had left. It states no transactions, no receipt and no
  /// tables, so that no device misses the removed logs because of it.
  private func lastManifest(
    of identity: StoreIdentity, in directory: ContentDirectory
  ) throws(ContainerError) -> PeerManifest {
    let present: PeerManifest?
    do {
      present = try PeerManifest.read(
        of: identity.peer, in: directory, using: environment.fileSystem)
    } catch {
      // A file that says nothing usable is replaced. Any other obstacle may pass.
      guard [.damagedFile, .foreign, .newerFormat].contains(error.code) else { throw error }
      present = nil
    }
    var rest = PeerManifest(
      format: present?.format, peer: identity.peer, name: identity.peerName,
      content: directory.name, sequence: .zero, receipt: Knowledge(),
      retired: (present?.retired ?? []).union([identity.peer]),
      schema: ManifestSchema(id: "", tables: [], sql: [], migrations: []),
      formats: present?.formats ?? environment.formats)
    guard let present else { return rest }
    // What these say concerns logs that stay.
    (rest.adopted, rest.corrections) = (present.adopted, present.corrections)
    for former in present.former.keys {
      let theirs: PeerManifest?
      do {
        theirs = try PeerManifest.read(of: former, in: directory, using: environment.fileSystem)
      } catch {
        // It may belong to a store that continues under that identity.
        continue
      }
      if present.succeeds(former, saying: theirs) { rest.retired.insert(former) }
    }
    return rest
  }
}
