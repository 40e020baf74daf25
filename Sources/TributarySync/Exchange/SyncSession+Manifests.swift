import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Reading the schema costs more than everything else in a synchronisation that finds nothing.
  func writeManifest(_ exchange: Exchange) throws {
    let (connection, path) = (exchange.connection, exchange.directory.manifest(of: exchange.own))
    let file = try environment.statuses([path])[0]
    var state = try connection.snapshot {
      ManifestState(
        numbers: try FileNumbers(connection), sequence: try SegmentTable(connection).last(),
        receipt: try KnowledgeTable(connection).current(),
        horizon: environment.horizons.isOn ? try HorizonRecord(connection) : nil,
        day: ManifestHorizon.statedDay(environment.clock.milliseconds()), file: file)
    }
    let published = manifest.withLock { $0 }
    if state.file != nil, published == state { return }
    // The state is read again while holding the turn, so that no older manifest replaces this one.
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    try exchange.writeManifest(
      isReceiptDurable: published?.receipt == state.receipt && published?.horizon == state.horizon)
    state.file = try environment.statuses([path])[0]
    manifest.withLock { $0 = state }
  }

  /// What the store's file in the container depends on.
  struct ManifestState: Equatable {
    var numbers: FileNumbers
    var sequence: SequenceNumber
    var receipt: Knowledge
    /// What the store has promised, if it may promise anything. It becomes as durable as the receipt before
    /// any peer reads it.
    var horizon: HorizonRecord?
    /// The day that the file states.
    var day: UInt64
    /// The status of the file as it was left. If it differs now, the file was damaged, or the carrier brought
    /// back an older one.
    var file: FileStatus?
  }

  /// Returns why nothing may be imported: a peer merges a table differently from this store.
  func disagreement(_ exchange: Exchange) throws -> SyncError? {
    try agreement(exchange).disagreement
  }

  /// Compares what the store and its peers declare.
  func agreement(_ exchange: Exchange) throws -> AgreementVerdict {
    let (connection, manifests) = (exchange.connection, exchange.manifests)
    // Reading the schema costs more than everything else in a synchronisation that finds nothing.
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    if let last = verdict.withLock({ $0 }), last.schemaVersion == version,
      last.generation == manifests.generation
    {
      return last
    }
    var new = AgreementVerdict(schemaVersion: version, generation: manifests.generation)
    let tables = try ReplicatedSchema(connection, selection: TableSelection(connection))
    do {
      try MergeAgreement(manifests: manifests, extensions: connection.extensions).check(
        tables, own: exchange.own)
    } catch let error as SyncError {
      new.disagreement = error
    }
    do {
      new.twofold = try TwofoldNames(manifests: manifests)
        .findings(in: tables, own: exchange.own)
      new.ofMigrations = try MigrationAgreement(manifests: manifests)
        .disagreements(own: exchange.own)
    } catch is SyncError {
      // Files of other peers that cannot be read are reported where they are needed.
    }
    verdict.withLock { $0 = new }
    return new
  }

  /// The result of the last comparison with the peers, and the state in which it was made.
  struct AgreementVerdict {
    var schemaVersion: Int64
    /// The generation of the manifests.
    var generation: Int
    /// Why nothing may be imported.
    var disagreement: SyncError?
    /// The contradictions between migrations.
    var ofMigrations: [Refusal] = []
    /// The items in the store that have two names with the same meaning.
    var twofold: [Refusal] = []
  }
}
