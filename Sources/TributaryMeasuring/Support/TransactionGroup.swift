import TributaryContainer
import TributaryCore
import TributaryLog

/// Consecutive transactions of one peer that are being moved from one segment to another.
struct TransactionGroup {
  private struct Transaction {
    var header: TransactionHeader
    var changes: [UInt8]
    var changeCount: UInt64
  }

  private var transactions: [Transaction] = []
  private var schemas: [UInt32: String] = [:]
  private var shapes: [UInt32: TableShape] = [:]

  var count: Int { transactions.count }

  /// Adds a transaction with its changes, which are read here.
  mutating func append(
    _ header: TransactionHeader, from reader: inout SegmentReader<SegmentFileSource>
  ) throws {
    schemas[header.schema] = reader.schema(header.schema)
    var changes = ByteBuffer()
    var count: UInt64 = 0
    while let change = try reader.nextChange() {
      changes.appendChangeHead(change.operation, shape: change.shapeID)
      changes.append(change.image)
      if shapes[change.shapeID] == nil { shapes[change.shapeID] = reader.shape(change.shapeID) }
      count += 1
    }
    transactions.append(
      Transaction(header: header, changes: Array(changes.bytes), changeCount: count))
  }

  /// Publishes the transactions.
  ///
  /// - Parameter original: the header of the segment that they come from.
  func publish(to segments: SegmentStore, header original: SegmentHeader) throws {
    guard let first = transactions.first?.header, let last = transactions.last?.header else {
      return
    }
    let header = SegmentHeader(
      peer: original.peer, first: first.sequence, last: last.sequence, firstTime: first.time,
      lastTime: last.time, contentName: original.contentName, knowledge: last.knowledge)
    _ = try segments.publish(first: first.sequence, last: last.sequence) { sink in
      var writer = try SegmentWriter(header: header, sink: Relay(sink: sink))
      for (id, name) in schemas { try writer.define(schema: id, name: name) }
      for (id, shape) in shapes { try writer.define(shape: id, shape) }
      for transaction in transactions {
        try writer.begin(transaction.header)
        try transaction.changes.withUnsafeBytes { try writer.append(changes: $0) }
        try writer.end(changeCount: transaction.changeCount)
      }
      let finished = try writer.finishReturningSink()
      let hash = finished.summary.contentHash
      sink = finished.takeSink().sink
      return hash
    }
  }

  /// Moves the sink into the writer and back.
  private struct Relay: ByteSink {
    var sink: SegmentFileSink

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws { try sink.write(bytes) }
  }
}
