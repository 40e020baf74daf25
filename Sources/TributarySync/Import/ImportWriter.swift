import TributaryContainer
import TributaryCore
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Writes batches into the store, each in one SQLite transaction. Nothing else uses the connection meanwhile.
final class ImportWriter {
  private let importer: Importer
  private let connection: Connection
  /// The files that will be read while the store is locked.
  private let files: FilesAtHand
  /// The transactions that have been applied to the tables, committed or not.
  private var applied: [PeerIdentity: KnowledgeTable.Peer] = [:]
  /// The knowledge in the database when the last transaction began or ended.
  private(set) var committed: Knowledge
  /// What the store had promised and obeyed when the writer was created.
  let record: HorizonRecord
  /// The version of the schema by which batches are put together.
  private(set) var schemaVersion: Int64?
  private(set) var isOpen = false
  /// Whether the batch has been notified that the transaction has begun.
  private var isStarted = false
  /// What the open transaction has taken from the schema of a peer.
  private var taken: TakenSchema?
  private(set) var total = 0
  /// The number of changed rows that the next batch should have.
  private(set) var rowLimit: Int
  /// Numberings to be recorded with the first commit.
  private var pendingNumberings: [Numbering]

  /// Prepares a writer.
  ///
  /// - Parameter numberings: numberings found by earlier passes, among what this one imports.
  /// - Parameter rowLimit: the number of changed rows per batch that earlier passes arrived at.
  init(_ importer: Importer, numberings: [Numbering], rowLimit: Int) throws {
    self.importer = importer
    connection = importer.exchange.connection
    files = FilesAtHand(importer.exchange.environment.fileSystem)
    self.rowLimit = rowLimit
    pendingNumberings = numberings
    let connection = importer.exchange.connection
    let table = KnowledgeTable(connection)
    let peers: [KnowledgeTable.Peer]
    // This comes before anything that depends on the schema is read. Outside of a transaction, each query
    // would take a lock of its own.
    (schemaVersion, peers, committed, record) = try connection.snapshot {
      (
        try Self.schemaVersion(connection), try table.peers(), try table.current(),
        try HorizonRecord(connection)
      )
    }
    for peer in peers { applied[peer.peer] = peer }
    try ImportTriggers(connection).renew()
  }

  /// Writes the changes to the tables, in the open transaction if there is one.
  ///
  /// - Throws: `ImportPass.Interruption`, or whatever makes the store unusable.
  func apply(_ batch: ImportBatch) throws {
    let changes = batch.changes
    if !isStarted {
      history.fetch(for: changes, known: Array(applied.values), into: files)
      if !isOpen { try begin() }
      try changes.start(milliseconds: importer.exchange.environment.clock.milliseconds())
      isStarted = true
    }
    do {
      let read = try history.add(to: changes, known: Array(applied.values))
      // If much is read for each batch, fewer and larger batches read less in total.
      rowLimit = min(
        max(importer.exchange.environment.importRowLimit, read),
        importer.exchange.environment.importRowLimit * Importer.largestBatch)
      let accidents = try changes.findAccidents()
      guard accidents.isEmpty else { throw ImportPass.Interruption.accident(accidents) }
      try writeNumberings(changes)
      try changes.apply()
    } catch let missing as History.Missing {
      throw interruption(
        .history(peer: missing.peer, sequence: missing.sequence), batch, obstacle: missing.obstacle)
    } catch let error as MergeError {
      throw interruption(.constraint(error.refusal), batch, author: error.author)
    }
    for range in batch.ranges {
      applied[range.peer] = KnowledgeTable.Peer(
        peer: range.peer, sequence: range.last, time: range.time)
    }
  }

  /// Takes the lock.
  private func begin() throws {
    try connection.beginImmediate()
    isOpen = true
    importer.exchange.environment.executor?.shorten(to: StoreEnvironment.writeLockLimit)
    // What another program has written is recorded first, so that nothing overwrites it without a record.
    // What has been promised meanwhile may exclude what was read. The present batch could not read what was
    // written with a later schema.
    guard try KnowledgeTable(connection).current() == committed,
      try HorizonRecord(connection) == record,
      try Self.schemaVersion(connection) == schemaVersion, try importer.exchange.hasIdentity(),
      try !ForeignCapture(connection).isDue()
    else {
      throw ImportPass.Interruption.overtaken
    }
  }

  private static func schemaVersion(_ connection: Connection) throws -> Int64? {
    try connection.integer("PRAGMA main.schema_version")
  }

  /// Takes what a schema adds, in a transaction that the first batch commits.
  ///
  /// - Throws: `ImportPass.Interruption`, or whatever makes the store unusable. Nothing has changed then.
  func take(_ offer: SchemaOffer) throws {
    do {
      try begin()
      taken = try offer.take(into: connection, own: importer.exchange.own)
      try ImportTriggers(connection).renew()
      schemaVersion = try Self.schemaVersion(connection)
    } catch let untaken as SchemaOffer.Untaken {
      rollBack()
      throw ImportPass.Interruption.untaken(untaken.reason)
    } catch {
      rollBack()
      throw error
    }
  }

  private func writeNumberings(_ changes: MergeBatch) throws {
    guard !pendingNumberings.isEmpty else { return }
    if try !NumberingTable.isUsed(connection) {
      // All numberings that were made here until now and that matter are among these.
      let last = try Outbox(connection).last()?.sequence ?? .zero
      try Settings(connection).set(.numberings, .integer(Int64(last.rawValue)))
    }
    try NumberingTable(connection, schema: changes.schema).insert(pendingNumberings)
    pendingNumberings.removeAll()
    try changes.settleNumberings()
  }

  private var history: History {
    var history = importer.history
    history.segments = { [importer, files] in importer.exchange.segments(of: $0, using: files) }
    return history
  }

  /// Returns the interruption that ends the pass if the transactions taken so far cannot be applied together.
  ///
  /// - Parameters:
  ///   - author: the last transaction that wrote the row, if it is known which row is concerned.
  ///   - obstacle: why this device cannot read logs that the batch needs.
  private func interruption(
    _ reason: Waiting.Reason, _ batch: ImportBatch, author: Conflict.Side? = nil,
    obstacle: ContainerError? = nil
  ) -> ImportPass.Interruption {
    let last = batch.last
    return .violation(
      ViolationSearch.Violation(
        waiting: Waiting(
          peer: author?.peer ?? last?.peer ?? importer.exchange.own,
          sequence: author?.sequence ?? last?.last ?? .zero, reason: reason),
        isOfRow: author != nil, transactions: batch.transactions,
        byteCount: batch.changes.byteCount, obstacle: obstacle))
  }

  /// Applies and commits the batch, and empties it.
  ///
  /// - Returns: what the batch has imported.
  func commit(_ batch: ImportBatch) throws -> SyncReport.Imported {
    try apply(batch)
    var imported = SyncReport.Imported()
    do {
      imported.conflicts = try batch.changes.finish { [history, applied] rows in
        try history.histories(of: rows, in: batch.changes, known: Array(applied.values))
      }
      if taken != nil {
        // Constraints may have appeared for rows that are held.
        imported.conflicts += try batch.changes.resolveAll { [history, applied] rows in
          try history.histories(of: rows, in: batch.changes, known: Array(applied.values))
        }
      }
    } catch let missing as History.Missing {
      throw interruption(
        .history(peer: missing.peer, sequence: missing.sequence), batch, obstacle: missing.obstacle)
    } catch let error as MergeError {
      throw interruption(.constraint(error.refusal), batch)
    }
    imported.transactions = batch.transactions
    imported.peers = batch.ranges.map { ($0.peer, $0.first, $0.last) }
    imported.changes = batch.changes.takeChanges()
    imported.entry = try writeDown(imported, batch)
    try importer.follower.commit(imported.entry) { try connection.commit() }
    importer.exchange.environment.executor?.shorten(to: nil)
    isOpen = false
    isStarted = false
    imported.schemas = [taken.take()].compactMap(\.self)
    files.removeAll()
    total += batch.transactions
    batch.removeAll()
    return imported
  }

  /// Records an import in the journal.
  ///
  /// - Returns: the entry in the journal.
  private func writeDown(
    _ imported: SyncReport.Imported, _ batch: ImportBatch
  ) throws -> ImportJournal.Entry? {
    let knowledge = KnowledgeTable(connection)
    let after = try Outbox(connection).last()?.sequence ?? .zero
    for range in batch.ranges {
      try knowledge.advance(range.peer, to: range.last, time: range.time, after: after)
      committed[range.peer] = range.last
    }
    if !batch.migrations.isEmpty {
      var written = try WrittenMigrations(connection)
      for (mark, peer, sequence) in batch.migrations { written.add(mark, by: peer, sequence) }
      try written.write(to: connection)
    }
    // Before the first conflict, local writes had nothing to resolve.
    if !batch.changes.hadConflicts, try !ConflictTable(connection).isEmpty() {
      let settled = try OwnExamination.firstWithBasis(connection).map { $0.rawValue - 1 }
      try Settings(connection).set(.examined, .integer(Int64(settled ?? after.rawValue)))
    }
    guard importer.announces else { return nil }
    return try ImportJournal(connection).append(
      imported, milliseconds: importer.exchange.environment.clock.milliseconds())
  }

  /// Rolls back what has not been committed.
  func rollBack() {
    connection.rollBack()
    importer.exchange.environment.executor?.shorten(to: nil)
  }
}
