import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// Restores damaged bookkeeping of a store that is being rebuilt, as far as the container has it:
/// own segments, the own `peer.json`, and what other peers declare.
///
/// Intact bookkeeping stays as it is.
struct BookkeepingRepair {
  let connection: Connection
  let environment: StoreEnvironment

  func run() throws {
    let identity = try Settings(connection).identity()
    let directory = try identity.directory()
    let scanner = ContainerScanner(directory, using: environment.fileSystem)
    let listing = try scanner.scan()
    try removeUnreadableShapes()
    try restoreMergeOptions(identity, directory, listing)
    let segments = SegmentStore(
      directory, peer: identity.peer, using: environment.fileSystem,
      horizons: .known(to: connection))
    // Only what this store remembers having published is certainly its own.
    let published = try remembered().filter { name in
      do {
        try segments.verify(name)
        _ = try segments.reader(of: name)
        return true
      } catch {
        // A damaged segment proves nothing. A segment above a horizon that no store remembers is below the
        // present one.
        return false
      }
    }
    let comparison = OwnLogComparison(
      connection: connection, environment: environment, directory: directory, own: identity.peer)
    try OutboxRepair(connection: connection, segments: segments, comparison: comparison)
      .run(published)
    try RemovalRepair(connection: connection, own: identity.peer).run()
    try KnowledgeRepair(
      connection: connection, environment: environment, directory: directory,
      // `try?`: bookkeeping that is too damaged to tell which logs were imported is repaired from all of
      // them.
      listing: (try? Exchange(of: connection, environment).selection().readable) ?? listing,
      own: segments
    ).run(published)
    try restoreSegments(listing, identity.peer, segments, comparison)
  }

  /// Returns the segments that the store has published, as far as its records are readable.
  private func remembered() throws -> [SegmentName] {
    let statement = try connection.prepare("SELECT name FROM tributary_segment")
    var names: [SegmentName] = []
    while try statement.step() {
      if let name = SegmentName(statement.string(0)) { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes unreadable shapes. Existing tables get theirs again; the others come with the
  /// segments.
  private func removeUnreadableShapes() throws {
    let statement = try connection.prepare("SELECT id, definition FROM tributary_shape")
    var unreadable: [Int64] = []
    while try statement.step() {
      let isReadable =
        UInt32(exactly: statement.integer(0)) != nil
        && (try? TableShape(decoding: statement.bytes(1))) != nil
      if !isReadable { unreadable.append(statement.integer(0)) }
    }
    statement.reset()
    for id in unreadable {
      try connection.cached("DELETE FROM tributary_shape WHERE id = ?").run(.integer(id))
    }
  }

  /// Restores the merge options: the other peers' declarations count if this store's own cannot be
  /// read, or contradict them.
  private func restoreMergeOptions(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ listing: ContentListing
  ) throws {
    let manifests = ManifestCache().read(
      listing, in: directory, for: identity.peer, environment)
    let agreement = MergeAgreement(manifests: manifests)
    do {
      try MergeOptions.checkPresence(in: connection)
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      try agreement.check(schema, own: identity.peer)
      return
    } catch let error as SyncError where error.code == .mergeDisagreement {
    } catch let error as StoreError where error.code == .damaged {
      // Any other damage is found later.
      let isDamaged =
        (try? MergeOptions(connection)) == nil
        || (try? MergeOptions.checkPresence(in: connection)) == nil
      guard isDamaged else { return }
    }
    let others = try agreement.declared(except: identity.peer)
    let ownOptions = try manifests.all[identity.peer].map {
      try MergeOptions($0.schema, at: directory.manifest(of: identity.peer))
    }
    try others.merging(ownOptions ?? MergeOptions()).write(to: connection)
  }

  /// Restores the segments: those in the container that agree with the outbox.
  private func restoreSegments(
    _ listing: ContentListing, _ own: PeerIdentity, _ segments: SegmentStore,
    _ comparison: OwnLogComparison
  ) throws {
    let table = SegmentTable(connection)
    if try isContinuous(table) { return }
    let files = listing.peers.first { $0.peer == own }?.segments ?? []
    var chain: [SegmentTable.Segment] = []
    var next = try RemovedTransactions(connection).last.next
    while let file = try files.filter({ $0.name.first == next }).sorted(by: {
      $0.name.last > $1.name.last
    }).first(where: { try isOwn($0, segments, comparison) }) {
      let size = try file.size(using: environment.fileSystem) ?? 0
      // The file does not state its compression level. When it is published again, it then gets another name.
      chain.append(
        SegmentTable.Segment(
          name: file.name, bytes: size,
          payload: try OutboxSizes(connection).total(from: file.name.first, to: file.name.last),
          level: 0))
      next = file.name.last.next
    }
    try table.removeAll()
    for segment in chain { try table.add(segment) }
  }

  private func isOwn(
    _ file: SegmentFile, _ segments: SegmentStore, _ comparison: OwnLogComparison
  ) throws -> Bool {
    do {
      try segments.verify(file.name)
    } catch {
      return false
    }
    return try comparison.firstDifference(file) == nil
  }

  private func isContinuous(_ table: SegmentTable) throws -> Bool {
    do {
      _ = try table.all()
    } catch let error as StoreError where error.code == .damaged {
      return false
    }
    return try table.contradictions(upTo: Outbox(connection).last()?.sequence ?? .zero).isEmpty
  }
}
