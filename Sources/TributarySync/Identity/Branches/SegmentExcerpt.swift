import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryStore

/// Copies transactions from a segment into one of another identity, or of the same one.
///
/// The same excerpt has the same bytes on every device, and therefore the same name: though several stores
/// may make it, no file has two contents.
struct SegmentExcerpt {
  let file: SegmentName
  let source: SegmentStore
  /// The transactions to copy, by their numbers in the source.
  let range: ClosedRange<SequenceNumber>
  /// The renamings to the present names of the transactions.
  let renamings: [Renaming]
  /// Corrections of what the transactions mean by names that were given up.
  var corrections: [KnowledgeCorrection] = []

  func publish(in target: SegmentStore) throws {
    let headers = try headers()
    guard let first = headers.first, let last = headers.last else { return }
    let header = SegmentHeader(
      peer: target.peer, first: first.sequence, last: last.sequence, firstTime: first.time,
      lastTime: last.time, contentName: target.directory.name.text, knowledge: last.knowledge)
    _ = try target.publish(first: first.sequence, last: last.sequence) { sink in
      try write(header, to: &sink)
    }
  }

  /// Returns the transactions under their present names.
  private func headers() throws -> [TransactionHeader] {
    var reader = try SegmentReader(source: try source.open(file))
    var headers: [TransactionHeader] = []
    while let transaction = try reader.nextTransaction() {
      if range.contains(transaction.sequence) { headers.append(renamed(transaction)) }
    }
    return headers
  }

  private func renamed(_ transaction: TransactionHeader) -> TransactionHeader {
    guard let new = renamings.last?.new else { return transaction }
    var transaction = corrections.corrected(transaction, of: source.peer)
    // With the author itself, as part of what it knew then.
    var knowledge = transaction.knowledge
    knowledge[source.peer] = transaction.sequence
    for renaming in renamings { knowledge = renaming.renamed(knowledge) }
    transaction.sequence = knowledge[new]
    knowledge[new] = .zero
    transaction.knowledge = knowledge
    transaction.basis = transaction.basis.map {
      renamings.reduce($0) { knowledge, renaming in renaming.renamed(knowledge) }
    }
    return transaction
  }

  private func write(
    _ header: SegmentHeader, to sink: inout SegmentFileSink
  ) throws -> UInt64 {
    var reader = try SegmentReader(source: try source.open(file))
    var writer = try SegmentWriter(header: header, sink: sink)
    var item = ByteBuffer()
    while let transaction = try reader.nextTransaction() {
      guard range.contains(transaction.sequence) else { continue }
      if !writer.isDefined(schema: transaction.schema) {
        try writer.define(
          schema: transaction.schema, name: reader.schema(transaction.schema))
      }
      for (id, shape) in reader.shapes.sorted(by: { $0.key < $1.key })
      where !writer.isDefined(shape: id) {
        try writer.define(shape: id, shape)
      }
      try writer.begin(renamed(transaction))
      var count: UInt64 = 0
      while let change = try reader.nextChange() {
        item.removeAll()
        item.append(change.operation.rawValue)
        item.append(variable: UInt64(change.shapeID))
        item.append(change.image)
        try writer.append(changes: item.bytes)
        count += 1
      }
      try writer.end(changeCount: count)
    }
    let finished = try writer.finishReturningSink()
    let summary = finished.summary
    sink = finished.takeSink()
    return summary.contentHash
  }
}
