import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes a baseline of a store that has been synchronised.
struct BaselineWriter {
  /// The exchange, with a connection for this purpose alone.
  let exchange: Exchange
  /// The path of the store.
  let store: String
  /// What the baseline declares. If set, it is written only of exactly that horizon.
  var declaration: Declaration?

  private var connection: Connection { exchange.connection }
  private var baselines: BaselineStore { exchange.baselines(of: exchange.own) }

  enum Outcome {
    case written(BaselineReport)
    /// Something was written, but not published, since the synchronisation.
    case disturbed
    /// Everything is published, but not everything could be examined.
    case unexamined
    /// The store has more than the horizon to be declared, or less.
    case beyond
  }

  /// Writes the baseline.
  ///
  /// - Throws: `SyncError` if the store differs from what the logs say, or if others would rely on a baseline
  ///   that lacks tables.
  func write() throws -> Outcome {
    try checkFaithful()
    try checkComplete()
    let image = LocalFile(store + ScratchFiles.baseline)
    // SQLite attaches an empty file as an empty database, and creates none here.
    _ = try image.write()
    var entries: [BaselineHeader.Entry] = []
    var (isPublished, isBeyond) = (false, false)
    let rows = try BaselineImage.write(from: connection, to: image.path) {
      isPublished = try self.isPublished()
      guard try isPublished && !OwnExamination.isDue(connection) else { return nil }
      entries = try known()
      isBeyond = declaration.map { $0.horizonEntries != entries } ?? false
      return isBeyond ? nil : try BaselineFacts.read(connection)
    }
    guard let rows else {
      return isBeyond ? .beyond : isPublished ? .unexamined : .disturbed
    }
    return .written(try publish(image, entries, rows: rows))
  }

  /// Publishes an image as a baseline.
  ///
  /// - Parameters:
  ///   - image: the image, which is removed.
  ///   - entries: the transactions whose effects are in it.
  func publish(
    _ image: borrowing LocalFile, _ entries: [BaselineHeader.Entry], rows: Int
  ) throws -> BaselineReport {
    // No peer may see what a power cut could still undo.
    try exchange.memory.log.synchronize(
      of: connection.filePath, using: exchange.environment.localFiles)
    let header = BaselineHeader(
      peer: exchange.own, databaseSize: try image.byteCount,
      contentName: exchange.identity.contentName,
      entries: entries, declaration: declaration,
      tables: try TableSelection(connection).ordered)
    var bytes = try image.read()
    let name = try baselines.publish(header, &bytes, level: Self.level)
    // Only what can be read back counts.
    try baselines.read(name)
    return BaselineReport(
      path: baselines.path(of: name), bytes: Int(clamping: try baselines.size(of: name) ?? 0),
      rows: rows, transactions: Int(clamping: header.transactionCount), peers: entries.count,
      removed: BaselineRemoval(exchange: exchange).run(sparing: name))
  }

  /// Higher levels take several times longer and save a few hundredths.
  private static let level = 3

  /// Checks that the store agrees with the logs.
  private func checkFaithful() throws {
    if let stopped = try StoppedTables(connection).findings().first {
      throw SyncError(
        .forked,
        "the store is not what the logs say, so no other one may be made from it: \(stopped.message)",
        path: store, remedy: stopped.remedy)
    }
    guard
      try exchange.selection().strayed.isEmpty && Corrections.missed(connection).all().isEmpty
    else {
      throw SyncError(
        .forked, "the store is not what the logs say, so no other one may be made from it",
        path: store,
        remedy: "`tributary doctor` says why; `tributary rebuild` returns it to the logs")
    }
  }

  /// Checks that a declared baseline has all tables: other devices forget by it, and take it in place of
  /// logs.
  private func checkComplete() throws {
    guard let declaration else { return }
    let missing = try exchange.tablesLeftOut(of: declaration.horizon)
    guard !missing.isEmpty else { return }
    throw SyncError(
      .unusableTable,
      "this store leaves out \(missing.count == 1 ? "table" : "tables") "
        + "\(missing.joined(separator: ", ")), which other devices replicate, so no baseline from which they would "
        + "forget may be made of it",
      path: store,
      remedy:
        "run `tributary baseline` on a device that replicates all tables; until one has written a baseline, nothing is "
        + "forgotten or removed")
  }

  /// Whether everything that the store has is recorded and published, in the present snapshot.
  private func isPublished() throws -> Bool {
    try exchange.isCurrent() && !ForeignCapture(connection).isDue()
      && Outbox(connection).last()?.sequence ?? .zero == SegmentTable(connection).last()
  }

  /// Returns what the store has imported and written.
  private func known() throws -> [BaselineHeader.Entry] {
    let knowledge = KnowledgeTable(connection)
    try knowledge.checkConsistent()
    var entries = try knowledge.peers().map {
      BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: $0.time)
    }
    if let last = try Outbox(connection).last() {
      entries.append(
        BaselineHeader.Entry(peer: exchange.own, sequence: last.sequence, time: last.time))
    }
    return entries.sorted { $0.peer < $1.peer }
  }
}
