internal import TributaryCore
internal import TributaryLog

/// The contents of a transaction as one number, which is equal for copies in segments that are cut
/// differently.
enum TransactionDigest {
  /// Reads all changes of the transaction at the cursor.
  ///
  /// - Parameters:
  ///   - withKnowledge: whether its author's knowledge counts; it must not if that is unknown for a copy.
  ///   - each: called with each change.
  /// - Throws: what the cursor throws, and what `each` throws.
  static func compute(
    _ cursor: SegmentCursor, withKnowledge: Bool = true,
    each: (ChangeView) throws -> Void = { _ in }
  ) throws -> UInt64 {
    guard let transaction = cursor.transaction else { return 0 }
    var hash = SegmentHash()
    var buffer = ByteBuffer()
    buffer.append(littleEndian: transaction.sequence.rawValue)
    buffer.append(littleEndian: transaction.time.rawValue)
    if withKnowledge { append(transaction.knowledge, to: &buffer) }
    buffer.append(transaction.basis == nil ? 0 : 1 as UInt8)
    if let basis = transaction.basis, withKnowledge { append(basis, to: &buffer) }
    buffer.append(.string(cursor.schema))
    // The author's numbers for shapes may differ between segments, so the shapes themselves count.
    var shapes: [UInt32: UInt64] = [:]
    while let change = try cursor.nextChange() {
      try each(change)
      buffer.append(change.operation.rawValue)
      if shapes[change.shapeID] == nil {
        shapes[change.shapeID] = try cursor.shape(change.shapeID).encoded().withUnsafeBytes {
          SegmentHash.hash($0)
        }
      }
      buffer.append(littleEndian: shapes[change.shapeID] ?? 0)
      buffer.append(change.image)
      if buffer.count >= 64 << 10 {
        hash.update(buffer.bytes)
        buffer.removeAll()
      }
    }
    hash.update(buffer.bytes)
    return hash.finish()
  }

  private static func append(_ knowledge: Knowledge, to buffer: inout ByteBuffer) {
    buffer.append(variable: UInt64(knowledge.entries.count))
    for entry in knowledge.entries {
      buffer.append(bigEndian: entry.peer.high)
      buffer.append(bigEndian: entry.peer.low)
      buffer.append(variable: entry.sequence.rawValue)
    }
  }
}
