import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Examines the store's own transactions since the last call: they resolve conflicts, and those based on an
/// earlier version may have created some.
struct OwnExamination {
  private(set) var importer: Importer

  private var connection: Connection { importer.exchange.connection }

  /// Examines the transactions.
  ///
  /// - Returns: new conflicts, and rows that are visible or held now because the logs contain more than was
  ///   known at the commits.
  func examine() throws -> SyncReport.Imported {
    guard try Self.isDue(connection) else { return SyncReport.Imported() }
    var examination = self
    // Where several stores have written under one identity, only what was imported counts.
    let readable = try importer.exchange.selection().readable
    examination.importer.exchange.listing = readable
    return try examination.examineAll()
  }

  private func examineAll() throws -> SyncReport.Imported {
    var found = SyncReport.Imported()
    if let last = try Outbox(connection).last()?.sequence {
      try noteNumberings(upTo: last)
      while try first(upTo: last) != nil {
        let more = try locked {
          // Another process may have examined them meanwhile.
          guard let first = try first(upTo: last) else { return SyncReport.Imported() }
          return try examine(from: first, to: last)
        }
        guard let more else { break }
        found.append(more)
      }
    }
    if try Settings(connection).integer(.unresolved) != nil {
      do {
        let more = try locked {
          guard try Settings(connection).integer(.unresolved) != nil,
            try !ForeignCapture(connection).isDue()
          else { return nil }
          return try resolve()
        }
        if let more { found.append(more) }
      } catch is History.Missing {
        // Nothing has changed. The next synchronisation tries again.
      }
    }
    return found
  }

  /// Whether there is anything to examine, so that the container may be needed.
  static func isDue(_ connection: Connection) throws -> Bool {
    let settings = Settings(connection)
    if try settings.integer(.unresolved) != nil { return true }
    guard let last = try Outbox(connection).last()?.sequence else { return false }
    let noted = try settings.integer(.numberings) ?? 0
    return try first(upTo: last, connection) != nil
      || NumberingTable.isUsed(connection) && UInt64(clamping: noted) < last.rawValue
  }

  /// Runs `body` while no other process can write, and informs other processes of what it has found.
  private func locked(
    _ body: () throws -> SyncReport.Imported?
  ) throws -> SyncReport.Imported? {
    try connection.beginImmediate()
    do {
      // Transactions that another process has issued again under another identity must not be read under this
      // one.
      let found =
        try importer.exchange.hasIdentity()
        ? importer.exchange.environment.holdingWriteLock(body) : nil
      var entry: ImportJournal.Entry?
      if let found, !found.isEmpty, importer.announces {
        entry = try ImportJournal(connection).append(
          found, milliseconds: importer.exchange.environment.clock.milliseconds())
      }
      try importer.follower.commit(entry) { try connection.commit() }
      return found
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Records the rows that were inserted here under numbers for which rows have met by accident.
  private func noteNumberings(upTo last: SequenceNumber) throws {
    guard try NumberingTable.isUsed(connection) else { return }
    var noted = try done(.numberings, upTo: last)
    while noted < last.rawValue {
      noted = try connection.immediate {
        guard try importer.exchange.hasIdentity() else { return last.rawValue }
        let already = try done(.numberings, upTo: last)
        guard already < last.rawValue else { return already }
        return try noteNumberings(after: already, upTo: last)
      }
    }
  }

  /// Records such rows from some transactions.
  ///
  /// - Returns: how far it has got.
  private func noteNumberings(after noted: UInt64, upTo last: SequenceNumber) throws -> UInt64 {
    let batch = try makeBatch()
    let done = try read(from: SequenceNumber(noted + 1), to: last, into: batch) {
      $0.operation == .insert
    }
    try NumberingTable(connection, schema: batch.schema).insert(batch.findAccidents())
    try Settings(connection).set(.numberings, .integer(Int64(done.rawValue)))
    return done.rawValue
  }

  /// Reads own transactions into a batch until it is full.
  ///
  /// - Returns: the last transaction that was read.
  private func read(
    from first: SequenceNumber, to last: SequenceNumber, into batch: MergeBatch,
    where matters: (ChangeView) -> Bool = { _ in true }
  ) throws -> SequenceNumber {
    let stream = try OutboxStream(peer: importer.exchange.own, connection: connection, from: first)
    var mappings = ShapeMappings()
    var done = last
    while let head = stream.head, head.sequence <= last, batch.byteCount < Importer.byteLimit {
      batch.begin(
        BatchTransaction(head, of: importer.exchange.own, schema: stream.schema), isNew: true)
      while let change = try stream.nextChange() {
        // A table that was dropped since has no rows that could be in conflict or share a number.
        if matters(change),
          let mapping = try? mappings.mapping(change.shapeID, of: stream, in: batch)
        {
          try batch.add(change, mapping: mapping)
        }
      }
      done = head.sequence
      try stream.advance()
    }
    return done
  }

  /// Whether own transactions are still to be examined.
  static func isPending(in connection: Connection) throws -> Bool {
    if try Settings(connection).integer(.unresolved) != nil { return true }
    guard let last = try Outbox(connection).last()?.sequence else { return false }
    let numberings = try Settings(connection).integer(.numberings) ?? 0
    if try NumberingTable.isUsed(connection), numberings < Int64(last.rawValue) { return true }
    let examined = try Settings(connection).integer(.examined) ?? 0
    guard examined < Int64(last.rawValue) else { return false }
    return try !ConflictTable(connection).isEmpty() || firstWithBasis(connection) != nil
  }

  /// Returns how far an examination has got. It starts from the beginning if the record is invalid.
  private func done(_ key: Settings.Key, upTo last: SequenceNumber) throws -> UInt64 {
    try Self.done(key, upTo: last, connection)
  }

  private static func done(
    _ key: Settings.Key, upTo last: SequenceNumber, _ connection: Connection
  ) throws -> UInt64 {
    let done = UInt64(clamping: try Settings(connection).integer(key) ?? 0)
    return done <= last.rawValue ? done : 0
  }

  /// Returns the first transaction that may matter.
  private func first(upTo last: SequenceNumber) throws -> SequenceNumber? {
    try Self.first(upTo: last, connection)
  }

  /// Returns the first transaction that is still to be examined for conflicts.
  static func first(_ connection: Connection) throws -> SequenceNumber? {
    try Outbox(connection).last().flatMap { try first(upTo: $0.sequence, connection) }
  }

  private static func first(
    upTo last: SequenceNumber, _ connection: Connection
  ) throws -> SequenceNumber? {
    let examined = try done(.examined, upTo: last, connection)
    guard examined < last.rawValue else { return nil }
    if try !ConflictTable(connection).isEmpty() { return SequenceNumber(examined + 1) }
    return try firstWithBasis(connection)
  }

  /// Returns the first transaction since the last examination that may be in conflict by itself.
  static func firstWithBasis(_ connection: Connection) throws -> SequenceNumber? {
    try connection.integer(
      "SELECT min(sequence) FROM tributary_outbox WHERE sequence > ? AND basis IS NOT NULL",
      .integer(max(0, try Settings(connection).integer(.examined) ?? 0))
    ).map { SequenceNumber(UInt64(clamping: $0)) }
  }

  /// Examines some transactions.
  ///
  /// - Returns: `nil` while the container lacks what is needed.
  private func examine(
    from first: SequenceNumber, to last: SequenceNumber
  ) throws -> SyncReport.Imported? {
    let batch = try makeBatch()
    let examined = try read(from: first, to: last, into: batch)
    var history = importer.history
    history.ownLast = SequenceNumber(first.rawValue - 1)
    do {
      try history.add(to: batch, known: KnowledgeTable(connection).peers())
    } catch is History.Missing {
      return nil
    }
    var found = SyncReport.Imported()
    found.conflicts = try batch.examineOnly()
    try Settings(connection).set(.examined, .integer(Int64(examined.rawValue)))
    return found
  }

  /// Decides again about all held rows, with the logs available.
  private func resolve() throws -> SyncReport.Imported {
    // Rows come back as they would by an import.
    try ImportTriggers(connection).renew()
    let batch = try makeBatch()
    let known = try KnowledgeTable(connection).peers()
    var found = SyncReport.Imported()
    found.conflicts = try batch.resolveAll { [history = importer.history] rows in
      try history.histories(of: rows, in: batch, known: known)
    }
    found.changes = batch.takeChanges()
    try Settings(connection).set(.unresolved, nil)
    return found
  }

  private func makeBatch() throws -> MergeBatch {
    let selection = try TableSelection(connection)
    let batch = try MergeBatch(
      connection: connection, schema: ReplicatedSchema(connection, selection: selection),
      selection: selection)
    try batch.start(milliseconds: importer.exchange.environment.clock.milliseconds())
    return batch
  }
}
