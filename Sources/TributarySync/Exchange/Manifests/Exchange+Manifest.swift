import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Keeping a store's `peer.json` up to date: its schema, and its receipt of what it has imported.
extension Exchange {
  /// Writes `peer.json`.
  ///
  /// - Parameter isReceiptDurable: whether the present receipt has been published before.
  /// - Returns: whether the file was written, which it is not if nothing has changed.
  @discardableResult
  func writeManifest(isReceiptDurable: Bool = false) throws -> Bool {
    try HorizonReaders.note(self)
    // All of one moment; and each question outside of a transaction would cost a lock of its own.
    guard
      let manifest = try connection.snapshot({
        try makeManifest().map {
          try OwnHorizon(connection, own: own, environment.horizons)?.manifest($0) ?? $0
        }
      })
    else { return false }
    return try manifest.publish(in: directory, using: environment.fileSystem) {
      () throws(FileError) in
      // Nobody may rely on an import that a power cut could still undo.
      guard !isReceiptDurable else { return }
      try memory.log.synchronize(of: connection.filePath, using: environment.localFiles)
    }
  }

  /// Returns what the store states.
  private func makeManifest() throws -> PeerManifest? {
    // The file belongs to the original.
    guard try CopyTable(connection).first() == nil else { return nil }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let merge = try MergeOptions(connection)
    try MergeOptions.checkPresence(in: connection)
    try checkDeclarations(merge, schema)
    let numbers = try connection.headerNumbers()
    let knowledge = KnowledgeTable(connection)
    let former = try FormerIdentities(connection).all().filter { $0.isShared || $0.isLeft }.map {
      // What nobody can have seen under the identity is not withdrawn.
      (
        $0.peer,
        ManifestFormer(
          last: $0.last, reissued: $0.isShared ? $0.reissued : $0.last,
          time: $0.isShared && $0.last < $0.reissued ? try firstTime() : nil)
      )
    }
    let shared = try ReplicatedSchema.shared(connection)
    return try PeerManifest(
      peer: own, name: identity.peerName, content: directory.name,
      sequence: SegmentTable(connection).last(), receipt: knowledge.current(),
      times: Dictionary(uniqueKeysWithValues: knowledge.peers().map { ($0.peer, $0.time) }),
      former: Dictionary(uniqueKeysWithValues: former),
      adopted: Adoptions(Settings(connection)).manifest(),
      corrections: Corrections.applied(connection).all(),
      retired: Retirements(Settings(connection)).all(),
      // After the receipt, as it demands.
      horizon: ManifestHorizon(
        connection, environment.horizons, environment.clock.milliseconds()),
      schema: ManifestSchema(
        id: schema.name,
        tables: schema.tables.filter { $0.refusal == nil }.map(\.name)
          .sorted(byBytesOf: \.self),
        sql: shared.statements,
        migrations: Migration.applied(in: connection).map(\.name),
        names: schema.names.all.map(\.description),
        written: schema.written.marks,
        merge: merge.manifest, userVersion: numbers.userVersion,
        applicationID: numbers.applicationID, spent: SpentNumbers(connection).all(of: schema),
        foreignKeys: schema.enforcesForeignKeys ? nil : ForeignKeys.keep.rawValue,
        copied: Dictionary(
          shared.copied.map {
            ($0.name, ManifestCopy(columns: $0.columns, rows: $0.rows))
          }, uniquingKeysWith: { $1 })), formats: environment.formats
    )
  }

  /// Returns the time of the first transaction that was issued again: whatever the store was before, it is
  /// now its first.
  private func firstTime() throws -> HybridTime? {
    try Outbox(connection).records(from: SequenceNumber(1), to: SequenceNumber(1)).first?.time
  }

  /// Checks that no declaration is taken back: without it, all others would stop importing.
  private func checkDeclarations(_ merge: MergeOptions, _ schema: ReplicatedSchema) throws {
    // A file that cannot be read is written anew. Without the horizons, all baselines would be looked at.
    guard
      let present = try? PeerManifest.read(
        of: own, in: directory, about: own, using: environment.fileSystem, horizons: horizons)
    else { return }
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
