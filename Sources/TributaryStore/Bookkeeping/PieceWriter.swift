package import TributaryCore
import TributaryLog

/// Writes the changes of one transaction to the outbox while they are being made.
package struct PieceWriter: ~Copyable {
  private let outbox: Outbox
  private let record: Outbox.Record
  /// The change items that have not been written yet.
  package var buffer = ByteBuffer(capacity: Outbox.pieceByteCount * 2)
  private var piece = 0

  package init(outbox: Outbox, record: Outbox.Record) {
    self.outbox = outbox
    self.record = record
  }

  /// Must be called at the end of each change item.
  package mutating func endItem() throws {
    if buffer.count >= Outbox.pieceByteCount { try flush() }
  }

  /// Writes the remaining items.
  package mutating func finish() throws {
    if piece == 0 || !buffer.isEmpty { try flush() }
  }

  private mutating func flush() throws {
    if piece == 0 {
      try outbox.append(record, changes: buffer.bytes, pieces: [buffer.count])
    } else {
      try outbox.appendPiece(record.sequence, piece, buffer.bytes)
    }
    piece += 1
    buffer.removeAll()
  }
}
