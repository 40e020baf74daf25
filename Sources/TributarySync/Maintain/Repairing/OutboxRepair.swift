import TributaryContainer
import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Restores own transactions that are missing from the outbox, or differ there from those in the
/// segments that the store has published.
struct OutboxRepair {
  let connection: Connection
  let segments: SegmentStore
  let comparison: OwnLogComparison

  /// Restores the transactions.
  ///
  /// - Parameter names: intact segments that the store remembers.
  func run(_ names: [SegmentName]) throws {
    try removeImpossible()
    for name in names where !isRight(name) {
      try connection.immediate { try restore(name) }
    }
  }

  /// Removes rows that cannot be transactions: their numbers are impossible, or they have no
  /// predecessor.
  private func removeImpossible() throws {
    try connection.execute(
      """
      DELETE FROM tributary_outbox WHERE sequence < 1 OR sequence >= 2305843009213693952;
      DELETE FROM tributary_outbox_piece
      WHERE sequence < 1 OR piece < 1 OR sequence NOT IN (SELECT sequence FROM tributary_outbox)
      """)
  }

  private func isRight(_ name: SegmentName) -> Bool {
    do {
      return try comparison.firstDifference(
        SegmentFile(name: name, directory: segments.path)) == nil
    } catch {
      // An outbox that cannot be read is not correct.
      return false
    }
  }

  private func restore(_ name: SegmentName) throws {
    var registry = try ShapeRegistry(connection)
    let schemas = SchemaNames(connection)
    var reader = try segments.reader(of: name)
    while let head = try reader.nextTransaction() {
      for table in ["tributary_outbox", "tributary_outbox_piece"] {
        try connection.cached("DELETE FROM \(table) WHERE sequence = ?")
          .run(.integer(Int64(head.sequence.rawValue)))
      }
      var writer = PieceWriter(
        outbox: Outbox(connection),
        record: Outbox.Record(
          sequence: head.sequence, time: head.time,
          schema: try schemas.number(of: reader.schema(head.schema)), basis: head.basis))
      while let change = try reader.nextChange() {
        writer.buffer.appendChangeHead(
          change.operation, shape: try registry.number(of: reader.shape(change.shapeID)))
        writer.buffer.append(change.image)
        try writer.endItem()
      }
      try writer.finish()
    }
  }
}
