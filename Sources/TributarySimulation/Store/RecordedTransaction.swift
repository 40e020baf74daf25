package import TributaryCore
internal import TributaryLog
package import TributarySQLite
internal import TributaryStore
package import TributaryTesting

/// What a store has recorded of one of its own commits.
package struct RecordedTransaction {
  package var sequence: SequenceNumber
  package var time: HybridTime
  package var knowledge: Knowledge
  package var basis: Knowledge?
  /// The changes, in the order of the record.
  package var changes: [ReferenceChange]

  /// Reads it from the outbox; `nil` if there is no transaction with that number.
  package init?(_ sequence: SequenceNumber, from connection: Connection) throws {
    let outbox = Outbox(connection)
    guard let record = try outbox.records(from: sequence, to: sequence).first else { return nil }
    self.sequence = sequence
    time = record.time
    basis = record.basis
    knowledge = try KnowledgeTable(connection).at(sequence)
    changes = []
    let registry = try ShapeRegistry(connection)
    var piece = ByteBuffer()
    let pieces = OutboxPieces(connection)
    pieces.begin(sequence)
    while try pieces.read(into: &piece) {
      var reader = ChangeListReader(piece.bytes)
      while let change = try reader.next(layout: registry.layout) {
        guard let shape = registry.shapes[change.shapeID] else {
          throw HarnessFailure("the shape \(change.shapeID) is not written down")
        }
        changes.append(try ReferenceChange(change, shape: shape))
      }
    }
  }

  /// Reads it from a segment; `nil` if it is not there.
  ///
  /// - Parameter horizon: returns the horizon of a declaration, above which the segment may state knowledge.
  package init?(
    _ sequence: SequenceNumber, in segment: [UInt8], above horizon: (UInt64) -> Knowledge?
  ) throws {
    var reader = try SegmentReader(
      source: MemorySource(segment), horizons: { horizon($0.declaration) })
    while let transaction = try reader.nextTransaction() {
      guard transaction.sequence == sequence else { continue }
      self.sequence = sequence
      time = transaction.time
      basis = transaction.basis
      knowledge = transaction.knowledge
      changes = []
      while let change = try reader.nextChange() {
        changes.append(try ReferenceChange(change, shape: reader.shape(change.shapeID)))
      }
      return
    }
    return nil
  }
}

extension ReferenceChange {
  /// Reads a change of a record.
  init(_ change: ChangeView, shape: TableShape) throws {
    var cursor = change.values
    if change.operation == .delete {
      let key = try shape.keys.map { _ in try cursor.next().value ?? .null }
      self.init(.delete, table: shape.table, key: key)
    } else {
      var values: [String: Value] = [:]
      var row: [Value?] = []
      for column in shape.columns {
        let value = try cursor.next().value
        values[column] = value
        row.append(value)
      }
      let key = shape.keys.map { row[$0.column] ?? .null }
      if change.operation == .update {
        for part in shape.keys { values[shape.columns[part.column]] = nil }
      }
      let operation: Operation =
        switch change.operation {
        case .insert: .insert
        case .replace: .replace
        case .update, .delete: .update
        }
      self.init(operation, table: shape.table, key: key, values: values)
    }
    try demand(cursor.isAtEnd, "a change of \(shape.table) goes on after its last column")
  }
}
