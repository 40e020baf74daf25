import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Keeps a store's `peer.json` up to date: its schema, and its receipt of what it has imported.
extension Exchange {
  /// Writes `peer.json`.
  ///
  /// - Parameter isReceiptDurable: whether the present receipt has been published before.
  /// - Returns: whether the file was written. It is not written if nothing has changed.
  @discardableResult
  func writeManifest(isReceiptDurable: Bool = false) throws -> Bool {
    try HorizonReaders.note(self)
    // Everything is read in one snapshot. Outside of a transaction, each query would take a lock of its own.
    let present = presentManifest()
    var unstated: Int64?
    guard
      var manifest = try connection.snapshot({
        let version = try connection.integer("PRAGMA main.schema_version")
        unstated = try Settings(connection).integer(.stated) == version ? nil : version
        return try makeManifest(after: present).map {
          try OwnHorizon(connection, own: own, environment.horizons)?.manifest($0) ?? $0
        }
      })
    else { return false }
    manifest.schema.changed = try schemaChange(of: manifest.schema, after: present?.schema)
    let isWritten = try manifest.publish(in: directory, using: environment.fileSystem) {
      () throws(FileError) in
      // No peer may rely on an import that a power cut could still undo.
      guard !isReceiptDurable else { return }
      try memory.log.synchronize(of: connection.filePath, using: environment.localFiles)
    }
    if let unstated { try Settings(connection).set(.stated, .integer(unstated)) }
    return isWritten
  }

  /// Whether the schema has another number than when the file was last written. This is a single query, since
  /// each query outside of a transaction takes a lock.
  func hasUnstatedSchema() throws -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM pragma_schema_version WHERE schema_version IS NOT
        (SELECT value FROM tributary_store WHERE key = '\(Settings.Key.stated.rawValue)')
      """) != nil
  }

  /// Returns what the store has stated so far; `nil` if that cannot be read. The file is written anew then.
  private func presentManifest() -> PeerManifest? {
    // The horizons are not given, since all baselines would have to be examined for them. If the store's own
    // file is damaged, that is no reason to stop: the new file replaces it.
    try? PeerManifest.read(
      of: own, in: directory, about: own, using: environment.fileSystem, horizons: horizons)
  }

  /// Returns the manifest that the store states.
  private func makeManifest(after present: PeerManifest?) throws -> PeerManifest? {
    // Under another identity, the file belongs to another store. In a copy, it belongs to the original.
    guard try isCurrent() else { return nil }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let merge = try MergeOptions(connection)
    try MergeOptions.checkPresence(in: connection)
    if let present { try checkDeclarations(merge, schema, present) }
    let numbers = try connection.headerNumbers()
    let applied = try Migration.applied(in: connection)
    let knowledge = KnowledgeTable(connection)
    let firstTime = try RemovedTransactions(connection).firstTime
    let former = try FormerIdentities(connection).all().filter { $0.isShared || $0.isLeft }.map {
      // Transactions that no peer can have seen under the identity are not withdrawn.
      (
        $0.peer,
        ManifestFormer(
          last: $0.last, reissued: $0.isShared ? $0.reissued : $0.last,
          time: $0.isShared && $0.last < $0.reissued ? firstTime : nil)
      )
    }
    let shared = try ReplicatedSchema.shared(connection)
    let published = try SegmentTable(connection).last()
    var manifest = try PeerManifest(
      peer: own, name: identity.peerName, content: directory.name,
      sequence: published, receipt: knowledge.current(),
      times: Dictionary(uniqueKeysWithValues: knowledge.peers().map { ($0.peer, $0.time) }),
      former: Dictionary(uniqueKeysWithValues: former),
      adopted: Adoptions(Settings(connection)).manifest(),
      corrections: Corrections.applied(connection).all(),
      retired: Retirements(Settings(connection)).all(),
      reissued: RetiredLog.reissued(in: connection),
      // This comes after the receipt, which it requires.
      horizon: ManifestHorizon(
        connection, environment.horizons, environment.clock.milliseconds()),
      schema: ManifestSchema(
        id: schema.name,
        tables: schema.tables.filter { $0.refusal == nil }.map(\.name)
          .sorted(byBytesOf: \.self),
        sql: shared.statements,
        migrations: applied.map(\.name),
        names: schema.names.all.map(\.description),
        written: schema.written.marks(of: own, publishedUpTo: published),
        merge: merge.manifest, userVersion: numbers.userVersion,
        applicationID: numbers.applicationID, spent: SpentNumbers(connection).all(of: schema),
        foreignKeys: schema.enforcesForeignKeys ? nil : ForeignKeys.keep.rawValue,
        copied: Dictionary(
          shared.copied.map {
            ($0.name, ManifestCopy(columns: $0.columns, rows: $0.rows))
          }, uniquingKeysWith: { $1 }), texts: Migration.digests(of: applied)),
      formats: environment.formats
    )
    // A device that reads that a migration has run writes none of its rows. So no device may read this before
    // the rows are there: if this device disappeared, no device would have them.
    if let present, schema.written.areUnpublished(of: own, after: published) {
      manifest.schema = present.schema
    }
    return manifest
  }

  /// Checks that no declaration was lost: without it, all other devices would stop importing.
  private func checkDeclarations(
    _ merge: MergeOptions, _ schema: ReplicatedSchema, _ present: PeerManifest
  ) throws {
    if present.schema.foreignKeys != nil, merge.foreignKeys == nil {
      throw StoreError.damaged(
        "the bookkeeping no longer says that foreign keys are not enforced",
        path: connection.path)
    }
    for (table, declared) in present.schema.merge where declared.isDeclared {
      switch schema.names.meaning(of: table, among: schema) {
      case .dropped: continue
      case .present(let name) where !merge[name].isEmpty: continue
      case .unknown where !merge[table].isEmpty: continue
      case .present, .unknown: break
      }
      throw StoreError.damaged(
        "the bookkeeping no longer says how table \(table) merges", path: connection.path)
    }
  }
}
