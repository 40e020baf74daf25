import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// One run over the streams of all peers, until they are exhausted or something makes it start
/// anew.
final class ImportPass {
  /// Why a pass ended early; nothing uncommitted is left.
  enum Interruption: Error {
    /// Another process has imported meanwhile.
    case overtaken
    /// A peer's next transaction cannot be imported at all.
    case blocked(Waiting)
    /// Rows of different devices turned out to have one number.
    case accident([Birth])
    /// A file that was whole a moment ago cannot be read.
    case unreadable(path: String, reason: String)
    /// A constraint does not hold after so many transactions, of which the given one is the last.
    case violation(Waiting, transactions: Int)
  }

  private let importer: Importer
  private let connection: Connection
  private let transactionLimit: Int
  private let batch: MergeBatch
  private var plan: ImportPlan
  private var streams: [SegmentStream] = []
  @exclusivity(unchecked) private var mappings: [ShapeMappings] = []

  /// What will be read while the store is locked.
  private let files: FilesAtHand

  /// What has been applied to the tables, committed or not.
  private var applied: [PeerIdentity: KnowledgeTable.Peer] = [:]
  /// What the database said when the last transaction began or ended.
  private var committed: Knowledge

  // The transaction that is being put together.
  private var ranges:
    [(peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber, time: HybridTime)] = []
  private var transactions = 0
  private var rows = 0
  private var rowLimit = Importer.rowLimit
  private var isOpen = false
  private var total = 0
  /// Births to be written down with the first commit.
  private var pendingBirths: [Birth]

  /// - Parameter births: found by earlier passes, among what this one brings.
  /// - Parameter unreadable: files that earlier passes could not read to their end, and why.
  init(
    _ importer: Importer, refused: [Waiting], births: [Birth], unreadable: [String: String],
    transactionLimit: Int
  ) throws {
    self.importer = importer
    pendingBirths = births
    self.transactionLimit = transactionLimit
    connection = importer.connection
    files = FilesAtHand(importer.environment.fileSystem)
    let selection = try TableSelection(connection)
    batch = try MergeBatch(
      connection: connection,
      schema: ReplicatedSchema(connection, selection: selection), selection: selection)
    try batch.readBirths(adding: births)
    let table = KnowledgeTable(connection)
    for peer in try table.peers() { applied[peer.peer] = peer }
    committed = try table.current()
    var knowledge = committed
    knowledge[importer.own] = try Outbox(connection).last()?.sequence ?? .zero
    plan = ImportPlan(
      knowledge: knowledge, refused: refused, withdrawals: importer.withdrawals)
    for var listing in importer.listing.peers where listing.peer != importer.own {
      listing.segments.removeAll { unreadable[$0.path] != nil }
      let stream = try SegmentStream(
        listing, segments: importer.segments(of: listing.peer), after: committed[listing.peer],
        upTo: importer.selection.limits[listing.peer] ?? .max, verified: importer.verified,
        relist: { try importer.relist($0).filter { unreadable[$0.path] == nil } })
      streams.append(stream)
      mappings.append(ShapeMappings())
    }
  }

  var waiting: [Waiting] { plan.waiting(streams) }

  var damaged: [(path: String, reason: String)] { streams.flatMap(\.damaged) }

  /// Why there may be more than was read.
  var failure: ContainerError? { streams.lazy.compactMap(\.failure).first }

  func run(didCommit: (SyncReport.Imported) throws -> Void) throws {
    do {
      while let position = plan.next(among: streams) {
        try take(position)
        if rows >= rowLimit || transactions >= transactionLimit { try commit(didCommit) }
      }
      try commit(didCommit)
    } catch {
      connection.rollBack()
      importer.environment.executor?.shorten(to: nil)
      throw error
    }
  }

  /// Takes one transaction into the batch.
  private func take(_ position: Int) throws {
    let stream = streams[position]
    guard let head = stream.head else { preconditionFailure("the plan chose a stream with a head") }
    let transaction = BatchTransaction(head, of: stream.peer)
    note(head, of: stream.peer)
    batch.begin(transaction, isNew: true)
    do {
      while let change = try stream.nextChange() {
        if let mapping = try mappings[position].mapping(change.shapeID, of: stream, in: batch) {
          try batch.add(change, mapping: mapping)
        }
        rows += 1
        if batch.byteCount >= Importer.byteLimit {
          // A large transaction is applied in parts and committed as a whole.
          try apply()
          batch.begin(transaction, isNew: true)
        }
      }
    } catch let error as MergeError {
      throw Interruption.blocked(
        Waiting(
          peer: stream.peer, sequence: head.sequence,
          reason: error.code == .schema ? .schema("\(error)") : .constraint("\(error)")))
    } catch let error as ContainerError where error.code != .unresponsive {
      throw Interruption.unreadable(path: stream.path ?? error.path ?? "", reason: "\(error)")
    }
    plan.took(head.sequence, of: stream.peer)
    try stream.advance()
  }

  private func note(_ head: TransactionHeader, of peer: PeerIdentity) {
    transactions += 1
    if let index = ranges.firstIndex(where: { $0.peer == peer }) {
      ranges[index].last = head.sequence
      ranges[index].time = head.time
    } else {
      ranges.append((peer, head.sequence, head.sequence, head.time))
    }
  }

  /// Writes the batch to the tables, in the transaction that may already be open.
  private func apply() throws {
    if !isOpen {
      history.fetch(for: batch, known: Array(applied.values), into: files)
      try connection.execute("BEGIN IMMEDIATE")
      isOpen = true
      importer.environment.executor?.shorten(to: Environment.writeLockLimit)
      guard try KnowledgeTable(connection).current() == committed else {
        throw Interruption.overtaken
      }
      try batch.start(milliseconds: importer.environment.clock.milliseconds())
    }
    do {
      let read = try history.add(to: batch, known: Array(applied.values))
      // Where much is read for each, fewer and larger ones read less in all.
      rowLimit = min(max(Importer.rowLimit, read), Importer.largestRowLimit)
      let accidents = try batch.findAccidents()
      guard accidents.isEmpty else { throw Interruption.accident(accidents) }
      if !pendingBirths.isEmpty {
        if try !BirthTable.isUsed(connection) {
          // Those that were made here until now and matter are among these.
          let last = try Outbox(connection).last()?.sequence ?? .zero
          try Settings(connection).set(.births, .integer(Int64(last.rawValue)))
        }
        try BirthTable(connection, schema: batch.schema).insert(pendingBirths)
        pendingBirths.removeAll()
        try batch.readBirths(adding: [])
      }
      try batch.apply()
    } catch let missing as History.Missing {
      throw interruption(.history(peer: missing.peer, sequence: missing.sequence))
    } catch let error as MergeError {
      throw interruption(.constraint("\(error)"))
    }
    for range in ranges {
      applied[range.peer] = KnowledgeTable.Peer(
        peer: range.peer, sequence: range.last, time: range.time)
    }
  }

  private var history: History {
    var history = importer.history
    history.segments = { [importer, files] peer in
      SegmentStore(importer.directory, peer: peer, using: files)
    }
    return history
  }

  /// What ends the pass when the transactions taken so far cannot be applied together.
  private func interruption(_ reason: Waiting.Reason) -> Interruption {
    let last = ranges.max { ($0.time, $0.peer) < ($1.time, $1.peer) }
    let peer = last?.peer ?? importer.own
    return .violation(
      Waiting(peer: peer, sequence: last?.last ?? .zero, reason: reason),
      transactions: transactions)
  }

  private func commit(_ didCommit: (SyncReport.Imported) throws -> Void) throws {
    guard transactions > 0 else { return }
    try apply()
    var imported = SyncReport.Imported()
    do {
      imported.conflicts = try batch.finish { [history, batch, applied] rows in
        try history.histories(of: rows, in: batch, known: Array(applied.values))
      }
    } catch let missing as History.Missing {
      throw interruption(.history(peer: missing.peer, sequence: missing.sequence))
    } catch let error as MergeError {
      throw interruption(.constraint("\(error)"))
    }
    imported.transactions = transactions
    imported.peers = ranges.map { ($0.peer, $0.first, $0.last) }
    imported.changes = batch.takeChanges()
    imported.entry = try writeDown(imported)
    try importer.follower.commit(imported.entry) { try connection.execute("COMMIT") }
    importer.environment.executor?.shorten(to: nil)
    isOpen = false
    files.removeAll()
    total += transactions
    transactions = 0
    rows = 0
    ranges.removeAll()
    importer.progress?(Progress(stage: "importing", done: total))
    try didCommit(imported)
  }

  /// - Returns: the entry in the journal.
  private func writeDown(_ imported: SyncReport.Imported) throws -> ImportJournal.Entry? {
    let knowledge = KnowledgeTable(connection)
    let after = try Outbox(connection).last()?.sequence ?? .zero
    for range in ranges {
      try knowledge.advance(range.peer, to: range.last, time: range.time, after: after)
      committed[range.peer] = range.last
    }
    // Before the first conflict there was nothing to be answered by what was written here.
    if !batch.hadConflicts, try !ConflictTable(connection).isEmpty() {
      let settled = try OwnExamination.firstWithBasis(connection).map { $0.rawValue - 1 }
      try Settings(connection).set(.examined, .integer(Int64(settled ?? after.rawValue)))
    }
    guard importer.announces else { return nil }
    return try ImportJournal(connection).append(
      imported, milliseconds: importer.environment.clock.milliseconds())
  }
}
