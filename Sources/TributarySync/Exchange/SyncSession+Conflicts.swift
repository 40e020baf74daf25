import TributaryContainer
package import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Updates the conflicts after what was written here since the last call: writes resolve conflicts, and
  /// those based on an earlier version may create some.
  ///
  /// - Returns: the new conflicts.
  @discardableResult
  package func examineConflicts() throws -> [Conflict] { try examineOwnWrites().conflicts }

  /// Updates the conflicts, as `examineConflicts` does.
  ///
  /// - Returns: the new conflicts, and the rows that are now visible or held because of what the logs say.
  package func examineOwnWrites() throws -> SyncReport.Imported {
    try store.checkOutsideWrite()
    guard try store.service({ try OwnExamination.isDue($0) }) else { return .init() }
    let identity = try store.identity()
    let directory = try identity.directory()
    // Without the container, transactions that need its logs are examined later.
    let listing =
      environment.executor?.isStuck == true
      ? nil : try? looking.scan(directory)
    return try store.service { connection in
      var exchange = Exchange(identity, connection, looking, directory, memory)
      do {
        if let listing {
          exchange.listing = listing
          exchange.readManifests()
        }
        return try OwnExamination(importer: try Importer(exchange: exchange, follower: follower))
          .examine()
      } catch is ContainerError {
        // As above: these transactions are examined later.
        return .init()
      }
    }
  }

  /// Returns the open conflicts, in the order of tables and keys.
  ///
  /// - Parameter ended: whether to include conflicts that have ended.
  package func conflicts(ended: Bool = false) throws -> [Conflict] {
    try examineConflicts()
    return try store.read { try ConflictTable($0.connection).conflicts(ended: ended) }
  }

  /// Returns the conflict with this identifier, open or ended.
  ///
  /// - Throws: `SyncError` with the code `unknownConflict` if there is none.
  package func conflict(_ id: Conflict.ID) throws -> Conflict {
    try examineConflicts()
    guard
      let conflict = try store.read({ try ConflictTable($0.connection).conflict(id) })
    else { throw SyncError.unknownConflict(id, path: store.path) }
    return conflict
  }

  /// Returns the row that the conflict's table now has under its key, by column; `nil` if there is no such
  /// row.
  package func visibleRow(of conflict: Conflict) throws -> [Conflict.Cell]? {
    try store.read { database in
      let connection = database.connection
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      guard let table = schema.table(named: conflict.table), table.refusal == nil,
        let row = try RowReader(table).row(conflict.key, in: connection)
      else { return nil }
      return zip(table.shape.columns, row).map { Conflict.Cell(column: $0, value: $1) }
    }
  }

  /// Resolves a conflict with an ordinary transaction, which other devices import like any write.
  ///
  /// - Returns: `false` if the conflict had already ended, here or elsewhere. Nothing is written
  ///   then.
  /// - Throws: `SyncError` with the code `unknownConflict`; `SyncError` with the code `unrestorable` and
  ///   `SyncError` with the code `logsMissing` if the row cannot be restored; `SQLiteError`. Nothing has
  ///   changed then.
  @discardableResult
  package func resolve(_ id: Conflict.ID, _ resolution: Resolution) throws -> Bool {
    try examineConflicts()
    return try ConflictResolver(store: store, environment: environment).resolve(id, resolution)
  }

  /// Resolves a conflict with what `body` writes. Whatever is visible afterwards is the resolution.
  ///
  /// - Returns: what `body` returns; `nil` if the conflict had already ended, in which case `body`
  ///   was not called.
  /// - Throws: `SyncError` with the code `unknownConflict`, what `body` throws, `SQLiteError`, `StoreError`.
  ///   Nothing has changed then.
  @discardableResult
  package func resolve<Result>(
    _ id: Conflict.ID, _ body: (Database) throws -> Result
  ) throws -> Result? {
    try examineConflicts()
    return try ConflictResolver(store: store, environment: environment).resolve(id, body)
  }

  /// Returns the display names of these peers, as far as the container has them.
  package func names(of peers: Set<PeerIdentity>) throws -> [PeerIdentity: String] {
    let identity = try store.read { try Settings($0.connection).identity() }
    let directory = try identity.directory()
    var names = [identity.peer: identity.peerName]
    for peer in peers where peer != identity.peer {
      // A name is only for display: the status reports a file that cannot be read.
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
