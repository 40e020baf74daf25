import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryReplay
import TributaryStore

/// The keys that the logs of a container mention.
struct LoggedKeys {
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let listing: ContentListing

  /// Returns, for each key of an index, whether some log mentions it.
  ///
  /// - Complexity: reads all logs, unless there are no keys.
  func marks(of index: borrowing RowKeyIndex, _ schema: ReplicatedSchema) throws -> [Bool] {
    var marks = Array(repeating: false, count: index.count)
    guard index.count > 0 else { return marks }
    var key = ByteBuffer()
    var encoders: [TableShape: RowKeyEncoder] = [:]
    try forEachChange(schema) { change, shape, table, _ in
      let encoder = encoders[shape] ?? RowKeyEncoder(shape: shape)
      encoders[shape] = encoder
      key.removeAll()
      try encoder.encode(change.operation, image: change.image, into: &key)
      if let row = index.number(of: key.bytes, table: UInt32(table)) { marks[row] = true }
    }
    return marks
  }

  /// Passes on all changes in the logs of tables that exist here, with the position of the table and the
  /// author.
  func forEachChange(
    _ schema: ReplicatedSchema,
    _ body: (ChangeView, TableShape, Int, BatchTransaction) throws -> Void
  ) throws {
    for listing in listing.peers {
      let stream = SegmentStream(
        listing,
        segments: SegmentStore(directory, peer: listing.peer, using: environment.fileSystem),
        after: .zero, verified: VerifiedSegments(),
        relist: { try environment.scan($0, in: directory).segments })
      var tables: [TableShape: Int] = [:]
      while let head = stream.head {
        let transaction = BatchTransaction(head, of: stream.peer)
        while let change = try stream.nextChange() {
          let shape = stream.shape(change.shapeID)
          guard
            let table = tables[shape]
              ?? schema.tableNumber(named: shape.table)
          else { continue }
          tables[shape] = table
          try body(change, shape, table, transaction)
        }
        stream.advance()
      }
      if let failure = stream.failure { throw failure }
    }
  }
}
