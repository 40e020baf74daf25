import TributaryCore
import TributaryLog

/// A whole segment in memory, to be compared as a unit.
package struct SegmentModel: Equatable {
  package struct Change: Equatable {
    package var operation: ChangeOperation
    package var shape: UInt32
    /// The values; `nil` means an unchanged column.
    package var values: [Value?]

    package init(operation: ChangeOperation, shape: UInt32, values: [Value?]) {
      self.operation = operation
      self.shape = shape
      self.values = values
    }
  }

  package struct Transaction: Equatable {
    package var header: TransactionHeader
    package var changes: [Change]

    package init(header: TransactionHeader, changes: [Change]) {
      self.header = header
      self.changes = changes
    }
  }

  package var header: SegmentHeader
  /// The schemas that transactions use.
  package var schemas: [UInt32: String]
  /// The shapes that changes use.
  package var shapes: [UInt32: TableShape]
  package var transactions: [Transaction]

  package init(
    header: SegmentHeader, schemas: [UInt32: String] = [:], shapes: [UInt32: TableShape] = [:],
    transactions: [Transaction] = []
  ) {
    self.header = header
    self.schemas = schemas
    self.shapes = shapes
    self.transactions = transactions
  }
}

extension SegmentModel.Change {
  package func encode(into buffer: inout ByteBuffer) {
    buffer.appendChangeHead(operation, shape: shape)
    var absent = 0
    for value in values {
      guard let value else {
        absent += 1
        continue
      }
      buffer.appendAbsent(count: absent)
      absent = 0
      buffer.append(value)
    }
    buffer.appendAbsent(count: absent)
  }

  package init(_ view: ChangeView) throws {
    operation = view.operation
    shape = view.shapeID
    values = []
    var cursor = view.values
    while !cursor.isAtEnd { values.append(try cursor.next().value) }
  }
}

extension SegmentModel {
  /// Returns the file. Definitions precede the first transaction that uses them.
  ///
  /// - Parameter piece: the number of bytes of changes to pass at a time.
  /// - Parameter horizon: what all transactions know, if the segment is written above it.
  package func written(
    piece: Int = .max, level: Int = 0, above horizon: Knowledge = Knowledge()
  ) throws -> (bytes: [UInt8], SegmentSummary) {
    var writer = try SegmentWriter(
      header: header, horizon: horizon, sink: MemorySink(), compressionLevel: level)
    for transaction in transactions {
      let schema = transaction.header.schema
      if !writer.isDefined(schema: schema) {
        try writer.define(schema: schema, name: schemas[schema] ?? "")
      }
      for change in transaction.changes where !writer.isDefined(shape: change.shape) {
        guard let shape = shapes[change.shape] else { continue }
        try writer.define(shape: change.shape, shape)
      }
      try writer.begin(transaction.header)
      var buffer = ByteBuffer()
      for change in transaction.changes { change.encode(into: &buffer) }
      var rest = buffer.bytes
      while !rest.isEmpty {
        let count = min(piece, rest.count)
        try writer.append(changes: .init(rebasing: rest[..<count]))
        rest = .init(rebasing: rest[count...])
      }
      try writer.end(changeCount: UInt64(transaction.changes.count))
    }
    let finished = try writer.finishReturningSink()
    let summary = finished.summary
    return (finished.takeSink().bytes, summary)
  }

  /// Reads a file to its end.
  ///
  /// - Parameter step: the number of bytes that a read returns at a time.
  /// - Parameter horizon: the horizon of the declaration that the segment names; `nil` if it is not known.
  package init(
    reading bytes: [UInt8], step: Int = .max, limits: SegmentLimits = .init(),
    above horizon: Knowledge? = nil
  ) throws {
    var reader = try SegmentReader(source: MemorySource(bytes, step: step), limits: limits) { _ in
      horizon
    }
    self.init(header: reader.header)
    while let transaction = try reader.nextTransaction() {
      schemas[transaction.schema] = reader.schema(transaction.schema)
      var changes: [Change] = []
      while let view = try reader.nextChange() {
        shapes[view.shapeID] = reader.shape(view.shapeID)
        changes.append(try Change(view))
      }
      transactions.append(Transaction(header: transaction, changes: changes))
    }
  }
}
