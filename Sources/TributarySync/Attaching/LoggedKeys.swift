import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryStore

/// The keys that the logs of a container mention.
struct LoggedKeys {
  let environment: Environment
  let directory: ContentDirectory
  let listing: ContentListing

  /// For each key of an index, whether some log mentions it.
  ///
  /// - Complexity: reads all logs, unless there are no keys.
  func marks(of index: borrowing RowKeyIndex, _ schema: ReplicatedSchema) throws -> [Bool] {
    var marks = Array(repeating: false, count: index.count)
    guard index.count > 0 else { return marks }
    var key = ByteBuffer()
    for listing in listing.peers {
      let stream = try SegmentStream(
        listing,
        segments: SegmentStore(directory, peer: listing.peer, using: environment.fileSystem),
        after: .zero, verified: VerifiedSegments(),
        relist: { try environment.scan($0, in: directory).segments })
      var encoders: [TableShape: (RowKeyEncoder, UInt32)] = [:]
      while stream.head != nil {
        while let change = try stream.nextChange() {
          let shape = stream.shape(change.shapeID)
          guard
            let table = schema.tables.firstIndex(where: {
              SQLName($0.name) == SQLName(shape.table)
            })
          else { continue }
          let (encoder, number) =
            encoders[shape] ?? (RowKeyEncoder(shape: shape), UInt32(table))
          encoders[shape] = (encoder, number)
          key.removeAll()
          try encoder.encode(change.operation, image: change.image, into: &key)
          if let row = index.number(of: key.bytes, table: number) { marks[row] = true }
        }
        try stream.advance()
      }
      if let failure = stream.failure { throw failure }
    }
    return marks
  }
}
