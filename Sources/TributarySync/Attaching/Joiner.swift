import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Attaches where logs exist: they are imported first and win; rows of an existing database that
/// they do not know are added as ordinary writes.
///
/// Everything is put together in a file of its own, whose contents take the database's place when
/// it is whole.
struct Joiner {
  let request: AttachRequest
  let identity: StoreIdentity
  let environment: Environment
  let directory: ContentDirectory
  let listing: ContentListing
  let manifests: PeerManifests
  let progress: ((Progress) -> Void)?

  func join(exists: Bool) throws -> AttachReport {
    let staging = Staging(target: request.store, fileSystem: environment.localFiles)
    // Held until the end: what was committed there in between would be lost.
    let original = exists ? try ExclusiveDatabase(path: request.store) : nil
    defer { original?.release() }
    return try staging.build(replacing: original) { try fill(staging, original) }
  }

  private func fill(_ staging: Staging, _ original: ExclusiveDatabase?) throws -> AttachReport {
    let shared = SharedSchema(manifests: manifests).newest(except: nil)
    let isBlank = try original.map { try SchemaTables.areNone(in: $0.connection) } ?? true
    if !isBlank, let original {
      try original.copy(to: staging.path)
      try checkMigrations(original.connection)
    } else {
      try makeTables(at: staging.path, shared?.sql)
    }
    let selection = try request.tables ?? sharedSelection(shared, staging.path)
    try AgreedAttachment(request: request, manifests: manifests).perform(
      identity, selection: selection, at: staging.path, adopts: false)
    let result = try importLogs(into: staging, selection)
    if let failure = result.failure { throw failure }

    var outcome = AttachReport.Outcome.rebuilt(transactions: result.imported.transactions)
    if !isBlank, let original {
      let rows = UnknownRows(
        original: original.connection, path: staging.path, environment: environment,
        directory: directory, listing: listing)
      outcome = .joined(added: try rows.add())
    }
    return AttachReport(
      outcome: outcome, identity: identity, waiting: result.waiting, damaged: result.damaged)
  }

  private func makeTables(at path: String, _ shared: [String]?) throws {
    if !request.migrations.isEmpty {
      let connection = try Connection(path: path, mode: .create)
      defer { connection.close() }
      try Migration.run(request.migrations, in: connection)
    } else if let shared {
      try SchemaStatements.run(shared, at: path)
    } else {
      throw SyncError(
        .logsMissing, "no peer.json in the container says what tables there are",
        path: directory.peers, remedy: "wait until the carrier has brought one, or give --schema")
    }
  }

  private func checkMigrations(_ connection: Connection) throws {
    guard
      try request.migrations.isEmpty || Migration.make(request.migrations, theTablesOf: connection)
    else {
      throw StoreError(
        .migration, "the tables of the database are not those that the migrations make",
        path: request.store,
        remedy: "attach without a schema, or give the migrations that made this database")
    }
  }

  /// All tables but those that the other devices have and do not replicate.
  private func sharedSelection(_ shared: ManifestSchema?, _ path: String) throws -> TableSelection {
    guard let shared else { return .all }
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    let replicated = Set(shared.tables.map { SQLName($0) })
    let others = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
      .tables.filter {
        !replicated.contains(SQLName($0.name)) && shared.contains(sql: $0.sql)
      }.map(\.name)
    return others.isEmpty ? .all : .except(others)
  }

  private func importLogs(
    into staging: Staging, _ selection: TableSelection
  ) throws -> Importer.Result {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    try staging.makeFast(connection)
    connection.setTriggers(firing: false)
    try ImportTriggers(connection).renew()
    // The logs win: what they do not bring is added again afterwards.
    for table in try ReplicatedSchema(connection, selection: selection).tables {
      try connection.execute("DELETE FROM \(table.name.quotedIdentifier)")
    }
    let indexes = try DeferredIndexes(droppingFrom: connection)
    let result = try Importer(
      own: identity.peer, connection: connection, environment: environment, directory: directory,
      listing: listing, verified: VerifiedSegments(),
      manifests: manifests, announces: false, progress: progress
    ).run()
    progress?(Progress(stage: "indexing", done: 0))
    try indexes.restore(in: connection)
    return result
  }
}

extension ManifestSchema {
  /// `String` would take other spellings of a name for the same.
  fileprivate func contains(sql text: String) -> Bool {
    sql.contains { $0.utf8.elementsEqual(text.utf8) }
  }
}
