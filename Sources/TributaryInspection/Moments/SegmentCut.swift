internal import TributaryContainer
internal import TributaryCore
internal import TributaryLog
internal import TributaryReplay

/// The beginning of a segment, as a separate segment.
struct SegmentCut {
  let segment: LogSegment
  let cut: MomentCut

  /// Writes it where the segments of its peer are; writes nothing if the cut leaves nothing of it.
  ///
  /// - Throws: `LogError` for a damaged segment, and what writing throws; nothing is left then.
  func write(to segments: SegmentStore) throws {
    var last: TransactionHeader?
    try forEachTransaction { _, transaction in last = transaction }
    guard let last else { return }
    var header = segment.header
    header.last = last.sequence
    header.lastTime = last.time
    header.knowledge = last.knowledge
    _ = try segments.publish(first: header.first, last: header.last) { sink in
      var writer = try SegmentWriter(header: header, sink: sink)
      var shapeCount = 0
      try forEachTransaction { cursor, transaction in
        if !writer.isDefined(schema: transaction.schema) {
          try writer.define(schema: transaction.schema, name: cursor.schema)
        }
        if cursor.shapes.count > shapeCount {
          shapeCount = cursor.shapes.count
          for (id, shape) in cursor.shapes where !writer.isDefined(shape: id) {
            try writer.define(shape: id, shape)
          }
        }
        try Self.copy(cursor, transaction, to: &writer)
      }
      return try writer.finish().contentHash
    }
  }

  private static func copy(
    _ cursor: SegmentCursor, _ transaction: TransactionHeader,
    to writer: inout SegmentWriter<SegmentFileSink>
  ) throws {
    try writer.begin(transaction)
    var count: UInt64 = 0
    var buffer = ByteBuffer()
    while let change = try cursor.nextChange() {
      buffer.removeAll()
      buffer.appendChangeHead(change.operation, shape: change.shapeID)
      buffer.append(change.image)
      try writer.append(changes: buffer.bytes)
      count += 1
    }
    try writer.end(changeCount: count)
  }

  private func forEachTransaction(
    _ body: (SegmentCursor, TransactionHeader) throws -> Void
  ) throws {
    var failure: LogFinding?
    let stream = SegmentStream(
      comparing: [segment], of: segment.header.peer, report: { failure = $0 })
    while let cursor = stream.copies.first, let transaction = cursor.transaction,
      cut.includes(transaction, of: segment.header.peer)
    {
      try body(cursor, transaction)
      stream.advance()
    }
    if let failure { throw DamagedSegment(finding: failure) }
  }

  /// A segment that cannot be read up to the cut.
  struct DamagedSegment: Error {
    let finding: LogFinding
  }
}
