import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// The reasons against a request for a store that is already attached. Examining changes nothing.
struct ReopeningExamination {
  let identity: StoreIdentity
  /// Whether the container is at another place.
  let isMoved: Bool
  private(set) var refusals: [AttachRefusal] = []

  /// Examines a request.
  ///
  /// - Throws: only for a store that cannot be read.
  init(
    _ request: AttachRequest, _ connection: Connection, _ environment: StoreEnvironment
  ) throws {
    let identity = try StoreIdentity(reading: connection)
    self.identity = identity
    let place = try refusals.gather {
      try Reopening.place(request, of: identity, environment)
    }
    isMoved = place.flatMap(\.self) != nil
    _ = try refusals.gather {
      try request.tables?.checkChange(
        in: connection, path: request.store, before: request.migrations)
    }
    let pending = try refusals.gather { try Migration.pending(request.migrations, in: connection) }
    let merge = request.merge ?? MergeOptions()
    // Otherwise, it may concern tables that pending migrations will create.
    if pending?.isEmpty == true {
      refusals += try merge.refusals(in: connection, path: request.store)
    }
    if let names = request.copyOnce {
      _ = try CopiedTables.choose(
        names, besides: CopiedTables(connection).all(),
        request.tables ?? TableSelection(connection), connection, path: request.store, &refusals)
    }
    refusals += try SharedContents.late(request.shareContents, in: connection, path: request.store)
    guard place != nil else { return }
    let disagreements = try refusals.gather {
      try Self.disagreements(
        merge, identity, place.flatMap(\.self) ?? identity.directory(), connection, environment)
    }
    refusals += (disagreements ?? []).map { AttachRefusal($0) }
  }

  private static func disagreements(
    _ merge: MergeOptions, _ identity: StoreIdentity, _ directory: ContentDirectory,
    _ connection: Connection, _ environment: StoreEnvironment
  ) throws -> [SyncError] {
    let manifests = ManifestCache().read(
      try AttachProspect.listing(directory, environment), in: directory, environment)
    let agreement = MergeAgreement(manifests: manifests, extensions: connection.extensions)
    let inherited = try agreement.declared(except: identity.peer)
      .inheritable(to: connection, exceptFor: merge)
    let schema = try ReplicatedSchema(
      connection, selection: TableSelection(connection),
      merge: merge.merging(inherited).merging(MergeOptions(connection)))
    return try agreement.disagreements(schema, own: identity.peer)
  }
}
