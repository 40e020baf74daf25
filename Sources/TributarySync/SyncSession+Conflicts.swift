import TributaryContainer
public import TributaryCore
import TributarySQLite
public import TributaryStore

extension SyncSession {
  /// Brings the conflicts up to date with what was written here since the last look: writes answer
  /// conflicts, and those based on an earlier version may make some.
  ///
  /// - Returns: those that were not there before.
  @discardableResult
  public func examineConflicts() throws -> [Conflict] { try examineOwnWrites().conflicts }

  /// The same.
  ///
  /// - Returns: also the rows that are visible or held now because of what the logs say.
  package func examineOwnWrites() throws -> SyncReport.Imported {
    try store.checkOutsideWrite()
    guard try store.service({ try OwnExamination.isDue($0) }) else { return .init() }
    let identity = try store.identity()
    let directory = try identity.directory()
    // Without the container, what needs its logs is looked at later.
    let listing =
      environment.executor?.isStuck == true
      ? nil : try? looking.scan(directory)
    return try store.service { connection in
      do {
        return try OwnExamination(
          importer: Importer(
            own: identity.peer, connection: connection, environment: looking,
            directory: directory, listing: listing ?? ContentListing(), verified: verified,
            manifests: PeerManifests(directory: directory),
            follower: follower)
        ).examine()
      } catch is ContainerError {
        // As above.
        return .init()
      }
    }
  }

  /// The conflicts that last, in the order of tables and keys.
  ///
  /// - Parameter ended: those that have ended too.
  public func conflicts(ended: Bool = false) throws -> [Conflict] {
    try examineConflicts()
    return try store.read { try ConflictTable($0.connection).conflicts(ended: ended) }
  }

  /// The conflict with that identifier, whether it lasts or has ended.
  ///
  /// - Throws: `SyncError.unknownConflict` when there is none.
  public func conflict(_ id: Conflict.ID) throws -> Conflict {
    try examineConflicts()
    guard
      let conflict = try store.read({ try ConflictTable($0.connection).conflict(id) })
    else { throw SyncError.unknownConflict(id, path: store.path) }
    return conflict
  }

  /// What the table of a conflict has under its key now, by column; `nil` when there is no such row.
  public func visibleRow(of conflict: Conflict) throws -> [Conflict.Cell]? {
    try store.read { database in
      let connection = database.connection
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      guard let table = schema.table(named: conflict.table), table.refusal == nil,
        let row = try RowReader(table).row(conflict.key, in: connection)
      else { return nil }
      return zip(table.shape.columns, row).map { Conflict.Cell(column: $0, value: $1) }
    }
  }

  /// Settles a conflict by an ordinary transaction, which other devices learn of like of any write.
  ///
  /// - Returns: false when it had ended already, here or elsewhere; nothing is written then.
  /// - Throws: `SyncError.unknownConflict`; `SyncError.unrestorable` and `SyncError.logsMissing`
  ///   where it cannot be restored; `SQLiteError`. Nothing has changed then.
  @discardableResult
  public func resolve(_ id: Conflict.ID, _ resolution: Resolution) throws -> Bool {
    try examineConflicts()
    return try ConflictResolver(store: store, environment: environment).resolve(id, resolution)
  }

  /// Settles a conflict by what `body` writes; what that leaves of it is kept as it is visible.
  ///
  /// - Returns: what `body` returns; `nil` when the conflict had ended already, and `body` was not
  ///   called.
  /// - Throws: `SyncError.unknownConflict`, what `body` throws, `SQLiteError`, `StoreError`.
  ///   Nothing has changed then.
  @discardableResult
  public func resolve<Result>(
    _ id: Conflict.ID, _ body: (Database) throws -> Result
  ) throws -> Result? {
    try examineConflicts()
    return try ConflictResolver(store: store, environment: environment).resolve(id, body)
  }

  /// What people call these peers, as far as the container says it.
  public func names(of peers: Set<PeerIdentity>) throws -> [PeerIdentity: String] {
    let identity = try store.read { try Settings($0.connection).identity() }
    let directory = try identity.directory()
    var names = [identity.peer: identity.peerName]
    for peer in peers where peer != identity.peer {
      // A name is a help and no more: a file that cannot be read is reported by the status.
      let manifest = try? PeerManifest.read(
        of: peer, in: directory, using: looking.fileSystem)
      if let manifest { names[peer] = manifest.name }
    }
    return names.filter { peers.contains($0.key) && !$0.value.isEmpty }
  }
}

extension SyncError {
  static func unknownConflict(_ id: Conflict.ID, path: String) -> SyncError {
    SyncError(
      .unknownConflict, "there is no conflict \(id)", path: path,
      remedy: "see `tributary conflicts list`; sync first if another device reports it")
  }
}
