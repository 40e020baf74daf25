import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// One run over the streams of all peers, until they are exhausted or something requires starting
/// over.
///
/// While one batch is written, the next one is read and put together.
final class ImportPass {
  /// Why a pass ended early. Nothing uncommitted is left.
  enum Interruption: Error {
    /// Another process has meanwhile imported, changed the schema, or written something that is not recorded.
    case overtaken
    /// A peer's next transaction cannot be imported at all. If this is because a table or column is missing
    /// here, the shape that needs it is given.
    case blocked(Waiting, TableShape?)
    /// The schema that was to be taken cannot be taken, for this reason.
    case untaken(String)
    /// Rows of different devices turned out to have the same number.
    case accident([Numbering])
    /// An earlier pass has found such rows in files that this one cannot read.
    case lostNumberings
    /// A file that was intact a moment ago cannot be read.
    case unreadable(path: String, any Error)
    /// A constraint does not hold, or logs that a batch needs are missing.
    case violation(ViolationSearch.Violation)
  }

  private let importer: Importer
  private let agreement: NumberingAgreement
  private let search: ViolationSearch
  private let writer: ImportWriter
  /// The batch that is being put together.
  private var batch: ImportBatch
  private let handover: ImportHandover
  /// Numberings that the next commit records.
  @exclusivity(unchecked) private var numberings: [Numbering]
  private var rowLimit: Int
  /// The number of transactions to import, as far as the names of files show.
  private var expected = 0
  /// Whether a schema is being taken, in the transaction that the next commit ends.
  private var isTaking: Bool
  @exclusivity(unchecked) private var plan: ImportPlan
  @exclusivity(unchecked) private var streams: [SegmentStream] = []

  /// Prepares a pass.
  ///
  /// - Parameter numberings: numberings found by earlier passes, among what this one imports.
  /// - Parameter unreadable: files that earlier passes could not read to the end, and why.
  /// - Parameter offer: a schema to be taken together with the first transaction.
  /// - Throws: also `Interruption`.
  init(
    _ importer: Importer, refused: [Waiting], numberings: [Numbering],
    unreadable: [String: any Error],
    search: ViolationSearch, rowLimit: Int, taking offer: SchemaOffer? = nil
  ) throws {
    self.importer = importer
    self.numberings = numberings
    agreement = NumberingAgreement(importer.exchange)
    self.search = search
    isTaking = offer != nil
    let writer = try ImportWriter(importer, numberings: numberings, rowLimit: rowLimit)
    self.writer = writer
    importer.exchange.memory.horizons.add(writer.record)
    handover = ImportHandover(to: writer)
    self.rowLimit = rowLimit
    let committed = writer.committed
    var knowledge = committed
    let last = try Outbox(importer.exchange.connection).last()?.sequence ?? .zero
    knowledge[importer.exchange.own] = min(last, importer.exchange.lastShared ?? last)
    plan = ImportPlan(
      knowledge: knowledge, peers: try KnowledgeTable(importer.exchange.connection).peers(),
      refused: refused, withdrawals: importer.withdrawals, fence: HorizonFence(writer.record.state))
    let readAhead = importer.readAhead
    // Of many peers, few have written something new.
    var listings = importer.exchange.listing.peers.filter { listing in
      listing.peer != importer.exchange.own
        && listing.segments.contains { $0.name.last > committed[listing.peer] }
    }
    for index in listings.indices {
      listings[index].segments.removeAll { unreadable[$0.path] != nil }
    }
    readAhead?.fetch(
      listings.compactMap {
        SourceFiles($0, after: committed[$0.peer]).furthest(with: committed[$0.peer].next)
      })
    for listing in listings {
      let stream = SegmentStream(
        listing,
        segments: importer.exchange.segments(of: listing.peer, using: readAhead?.fileSystem),
        after: committed[listing.peer],
        upTo: importer.limit(of: listing.peer),
        verified: importer.exchange.memory.verified,
        readAhead: readAhead,
        relist: { [handover] in
          // This queries the store, whose connection the writer may be using.
          handover.wait()
          return try importer.relist($0).filter { unreadable[$0.path] == nil }
        })
      streams.append(stream)
      let last = min(
        listing.segments.map(\.name.last).max() ?? .zero, importer.limit(of: listing.peer))
      expected += Int(clamping: last.rawValue &- min(last, committed[listing.peer]).rawValue)
    }
    do {
      if let offer { try writer.take(offer) }
      let selection = try TableSelection(importer.exchange.connection)
      let changes = try MergeBatch(
        connection: importer.exchange.connection,
        schema: ReplicatedSchema(importer.exchange.connection, selection: selection),
        selection: selection)
      try changes.readNumberings(adding: numberings)
      batch = ImportBatch(changes, streamCount: streams.count)
    } catch {
      writer.rollBack()
      throw error
    }
  }

  /// The number of changed rows that a batch should have, according to what was read for the last
  /// one.
  var wantedRowLimit: Int { writer.rowLimit }

  /// SQLite's schema version by which batches are put together.
  var schemaVersion: Int64? { writer.schemaVersion }

  var waiting: [Waiting] { plan.waiting(streams) }

  var damaged: [(path: String, reason: String)] { streams.flatMap(\.damaged) }

  /// Why there may be more than was read.
  var failure: ContainerError? { streams.lazy.compactMap(\.failure).first }

  func run(didCommit: (SyncReport.Imported) throws -> Void) throws {
    do {
      while let position = plan.next(among: streams) {
        try take(position, didCommit)
        // The store is locked while a schema is being taken.
        if batch.rows >= rowLimit || batch.transactions >= (isTaking ? 1 : search.transactionLimit)
          || batch.changes.byteCount >= search.byteLimit
        {
          try commit(isLast: false, didCommit)
        }
      }
      try commit(isLast: true, didCommit)
      // No transaction has come for which the schema was to be taken.
      if isTaking { writer.rollBack() }
    } catch {
      defer { writer.rollBack() }
      // What has been committed meanwhile is still reported. Errors of that batch come first.
      try settle(didCommit)
      throw error
    }
  }

  /// Adds one transaction to the batch.
  private func take(
    _ position: Int, _ didCommit: (SyncReport.Imported) throws -> Void
  ) throws {
    let stream = streams[position]
    guard let head = stream.head else { preconditionFailure("the plan chose a stream with a head") }
    let batch = self.batch
    let schema = stream.schema
    let transaction = BatchTransaction(head, of: stream.peer, schema: schema)
    batch.begin(head, of: stream.peer, schema: schema)
    batch.changes.begin(transaction, isNew: true)
    while try !read(position, head.sequence) {
      // A large transaction is applied in parts and committed as a whole.
      try settle(didCommit)
      try writer.apply(batch)
      batch.changes.begin(transaction, isNew: true)
    }
    plan.took(head.sequence, of: stream.peer, madeAt: head.time)
    stream.advance()
  }

  /// Reads changes of a transaction into the batch.
  ///
  /// - Returns: `false` if the batch is full before the end of the transaction.
  private func read(_ position: Int, _ sequence: SequenceNumber) throws -> Bool {
    let stream = streams[position]
    var shape: UInt32?
    do {
      while let change = try stream.nextChange() {
        shape = change.shapeID
        if let mapping = try batch.mappings[position].mapping(
          change.shapeID, of: stream, in: batch.changes, checking: agreement)
        {
          try batch.changes.checkKey(of: change, mapping: mapping)
          try batch.changes.add(change, mapping: mapping)
        }
        batch.rows += 1
        if batch.changes.byteCount >= 2 * search.byteLimit {
          // The batch contains a copy of the change, and SQLite will make another.
          stream.trim()
          return false
        }
      }
      return true
    } catch let error as MergeError {
      throw Interruption.blocked(
        Waiting(
          peer: stream.peer, sequence: sequence,
          reason: error.code == .schema ? .schema(error.refusal) : .constraint(error.refusal)),
        error.code == .schema && !error.concernsKey ? shape.map { stream.shape($0) } : nil)
    } catch let error as ContainerError where !error.stopsAll {
      throw Interruption.unreadable(path: stream.path ?? error.path ?? "", error)
    }
  }

  // MARK: Committing

  /// Commits the batch, or starts committing it while the next one is put together.
  private func commit(
    isLast: Bool, _ didCommit: (SyncReport.Imported) throws -> Void
  ) throws {
    try settle(didCommit)
    guard batch.transactions > 0 else { return }
    guard numberings.allSatisfy({ willHave($0.transaction.side, isLast: isLast) }) else {
      throw Interruption.lostNumberings
    }
    // The meaning of numbers may change with each commit.
    if !isLast, !writer.isOpen, !batch.changes.hasNumberings,
      importer.exchange.environment.executor != nil,
      let next = try handover.begin(batch)
    {
      batch = next
    } else {
      try tell(writer.commit(batch), didCommit)
    }
  }

  /// Whether the store has a transaction, or will have it with this commit or, as far as is known, a later one. A
  /// number means another row only to those who have the transactions of both.
  private func willHave(_ side: Conflict.Side, isLast: Bool) -> Bool {
    side.peer == importer.exchange.own || plan.has(side)
      || !isLast && streams.contains { $0.peer == side.peer && plan.mayContinue($0) }
  }

  /// Waits for the batch that is being written, if there is one.
  private func settle(_ didCommit: (SyncReport.Imported) throws -> Void) throws {
    if let imported = try handover.finish() { try tell(imported, didCommit) }
  }

  private func tell(
    _ imported: SyncReport.Imported, _ didCommit: (SyncReport.Imported) throws -> Void
  ) throws {
    isTaking = false
    numberings = []
    rowLimit = writer.rowLimit
    try importer.progress?(Progress(stage: "importing", done: writer.total, total: expected))
    try didCommit(imported)
  }
}
