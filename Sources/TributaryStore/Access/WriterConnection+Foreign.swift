import TributaryCore
import TributaryLog
import TributarySQLite

/// The changes that other programs have made.
extension WriterConnection {
  /// Records what other programs have written, as the triggers have journalled it, and commits that.
  ///
  /// - Returns: whether there was anything to record; if so, the transaction has ended.
  func recordForeignWrites() throws -> Bool {
    guard hasForeignWrites else { return false }
    hasForeignWrites = false
    do {
      capture.pointee.reset()
      connection.setTriggers(firing: false)
      defer { connection.setTriggers(firing: firesTriggers) }
      let digest = ForeignDigest(
        connection: connection, schema: schema, shapeNumbers: shapeNumbers,
        constraints: try constraintSet(),
        hasNewSchema: try ForeignCapture(connection).hasNewSchema())
      if hasHeldRows { try recordBesideHeldRows(digest) } else { try record(digest) }
      try ForeignCapture(connection).finish(schema)
      schemaVersion = try connection.integer("PRAGMA schema_version")
      try ownCommits.willCommit(connection)
      try commitStatement.run()
      // The other statements of this transaction see its changes.
      seenVersion = nil
      ownCommits.forget()
      return true
    } catch {
      rollBack()
      throw error
    }
  }

  /// Records a digest in bounded memory.
  private func record(_ digest: ForeignDigest) throws {
    let record = Outbox.Record(
      sequence: sequence.next, time: try tick(), schema: schemaNumber, basis: nil)
    var writer = PieceWriter(outbox: Outbox(connection), record: record)
    let outcome = try digest.run { append in
      try append(&writer.buffer)
      try writer.endItem()
    }
    if outcome.rows > 0 {
      try writer.finish()
      sequence = record.sequence
      foreignSequence = record.sequence
    }
    guard !outcome.orphans.isEmpty else { return }
    try resolution(decidesAll: true, refuses: false).run(
      orphans: outcome.orphans, moved: RowMoves(), milliseconds: milliseconds()
    ) { piece in
      if outcome.rows > 0 {
        try OutboxPieces(connection).forEach(of: record.sequence, piece)
      }
    }
  }

  /// New rows may have the numbers of held rows. Values that have become free may bring held rows back, and
  /// so may constraints that are gone.
  private func recordBesideHeldRows(_ digest: ForeignDigest) throws {
    net.removeAll()
    let outcome = try digest.run { try $0(&net) }
    guard outcome.rows > 0 || digest.hasNewSchema else { return }
    if outcome.rows > 0 { foreignSequence = try appendWithMoves(nil) }
    try resolution(decidesAll: true, refuses: false).run(
      orphans: outcome.orphans, moved: movedRows, milliseconds: milliseconds()
    ) { try $0(net.bytes) }
  }

  /// Returns the transaction that contains what other programs have written; does so only once.
  func takeForeignSequence() -> SequenceNumber? { foreignSequence.take() }
}
