import TributaryContainer
import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Makes a segment from the outbox. The same transactions at the same level yield the same bytes each time.
struct OutboxSegment {
  let identity: StoreIdentity
  let connection: Connection
  let first: SequenceNumber
  let last: SequenceNumber
  /// The compression level.
  var level = 0
  /// Decides whether the segment may be written above a horizon.
  var horizons = HorizonPolicy()
  /// Called periodically; throw to cancel.
  var check: () throws -> Void = {}

  /// Publishes the segment.
  ///
  /// - Parameters:
  ///   - anew: whether to replace the file even if it is there as it should be.
  ///   - isDue: called after everything is written and before it becomes visible; throw to cancel.
  /// - Throws: what `SegmentStore.publish` and `write` throw.
  func publish(
    in segments: SegmentStore, anew: Bool = false, if isDue: () throws -> Void = {}
  ) throws -> SegmentTable.Segment {
    var bytes: UInt64 = 0
    let name = try segments.publish(first: first, last: last, anew: anew) { sink in
      let summary = try write(to: &sink)
      bytes = summary.byteCount
      try isDue()
      return summary.contentHash
    }
    return SegmentTable.Segment(
      name: name, bytes: bytes, payload: try OutboxSizes(connection).total(from: first, to: last),
      level: level)
  }

  /// Writes the segment.
  ///
  /// - Throws: `StoreError` with the code `damaged` if the outbox does not yield a segment; what the sink
  ///   throws.
  func write(to sink: inout SegmentFileSink) throws -> SegmentSummary {
    do {
      // Everything is read in one snapshot, instead of with locks for each transaction.
      if connection.isInTransaction { return try compose(&sink) }
      return try connection.snapshot { try compose(&sink) }
    } catch let error as LogError {
      throw StoreError.damaged(
        "transactions \(first) to \(last) of this store cannot be made into a segment: \(error.message)",
        path: connection.path)
    }
  }

  private func compose(_ sink: inout SegmentFileSink) throws -> SegmentSummary {
    let outbox = Outbox(connection)
    let pieces = OutboxPieces(connection)
    let knowledge = KnowledgeTable(connection)
    let registry = try ShapeRegistry(connection)
    let schemas = SchemaNames(connection)
    let records = try outbox.records(from: first, to: last)
    guard let head = records.first, let tail = records.last, head.sequence == first,
      tail.sequence == last, UInt64(records.count) == last.rawValue - first.rawValue + 1
    else {
      throw StoreError.damaged(
        "transactions \(first) to \(last) are not all in the outbox", path: connection.path)
    }
    let before = SequenceNumber(first.rawValue - 1)
    if let previous = try outbox.records(from: before, to: before).first, previous.time >= head.time
    {
      throw StoreError.damaged(
        "transaction \(first) of this store is not later than the one before it",
        path: connection.path)
    }
    var known = try knowledge.at(first)
    var steps = try knowledge.steps(after: first, before: last)[...]
    var header = SegmentHeader(
      peer: identity.peer, first: first, last: last, firstTime: head.time, lastTime: tail.time,
      contentName: identity.contentName, knowledge: try knowledge.at(last))
    let horizon = try OwnHorizon(connection, own: identity.peer, horizons)
    if let horizon,
      let reference = horizon.reference(records, after: known, by: identity.peer)
    {
      header.horizon = reference
      header.knowledge = horizon.above(header.knowledge, of: identity.peer)
      known = horizon.sharing(known, of: identity.peer)
    }
    var writer = try SegmentWriter(
      header: header,
      horizon: header.horizon == nil ? Knowledge() : horizon?.horizon ?? Knowledge(),
      sink: Relay(sink: sink, check: check), compressionLevel: level)
    var piece = ByteBuffer(capacity: 1 << 20)
    for record in records {
      while let step = steps.first, step.after < record.sequence {
        known[step.entry.peer] = max(known[step.entry.peer], step.entry.sequence)
        steps.removeFirst()
      }
      if !writer.isDefined(schema: record.schema) {
        guard let name = try schemas.name(of: record.schema) else {
          throw StoreError.damaged(
            "the schema of transaction \(record.sequence) has no name", path: connection.path)
        }
        try writer.define(schema: record.schema, name: name)
      }
      try define(shapesOf: record.sequence, in: &writer, pieces, registry, &piece)
      try writer.begin(
        TransactionHeader(
          sequence: record.sequence, time: record.time, schema: record.schema, knowledge: known,
          basis: record.basis))
      var changes: UInt64 = 0
      pieces.begin(record.sequence)
      while try pieces.read(into: &piece) {
        changes += try count(piece.bytes, registry)
        try writer.append(changes: piece.bytes)
      }
      // A commit without changes is not recorded.
      guard changes > 0 else {
        throw StoreError.damaged(
          "transaction \(record.sequence) of this store has lost its changes",
          path: connection.path)
      }
      try writer.end(changeCount: changes)
    }
    let finished = try writer.finishReturningSink()
    let summary = finished.summary
    sink = finished.takeSink().sink
    return summary
  }

  /// Defines shapes before the transaction that uses them.
  private func define(
    shapesOf sequence: SequenceNumber, in writer: inout SegmentWriter<Relay>,
    _ pieces: OutboxPieces,
    _ registry: ShapeRegistry, _ piece: inout ByteBuffer
  ) throws {
    pieces.begin(sequence)
    while try pieces.read(into: &piece) {
      var reader = ChangeListReader(piece.bytes)
      while let change = try reader.next(layout: registry.layout) {
        if !writer.isDefined(shape: change.shapeID), let shape = registry.shapes[change.shapeID] {
          try writer.define(shape: change.shapeID, shape)
        }
      }
    }
  }

  private func count(_ changes: UnsafeRawBufferPointer, _ registry: ShapeRegistry) throws -> UInt64
  {
    var reader = ChangeListReader(changes)
    var count: UInt64 = 0
    while try reader.next(layout: registry.layout) != nil { count += 1 }
    return count
  }

  /// Moves the sink into the writer and back.
  private struct Relay: ByteSink {
    var sink: SegmentFileSink
    let check: () throws -> Void

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
      try check()
      try sink.write(bytes)
    }
  }
}
