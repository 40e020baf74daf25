import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryReplay
import TributaryStore

/// The keys that the logs of a container mention, or that a baseline has which stands for forgotten logs.
struct LoggedKeys {
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let listing: ContentListing
  let names: NameChanges
  /// The rows that stand for the logs that the devices have forgotten; `nil` if there are none.
  let settled: SettledRows?
  /// The identities that stores have left. What is above horizons there that no baseline declares any more was issued
  /// again, or is in a later baseline.
  let left: Set<PeerIdentity>

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

  /// Passes on all changes in the logs to tables that exist here, with the position of the table and the
  /// author.
  func forEachChange(
    _ schema: ReplicatedSchema,
    _ body: (ChangeView, TableShape, Int, BatchTransaction) throws -> Void
  ) throws {
    if let settled { try forEachChange(settled.stream(), schema, body) }
    for listing in listing.peers {
      let stream = SegmentStream(
        listing,
        segments: SegmentStore(directory, peer: listing.peer, using: environment.fileSystem),
        after: settled?.horizon[listing.peer] ?? .zero, verified: VerifiedSegments(),
        relist: { try environment.scan($0, in: directory).segments })
      try forEachChange(stream, schema, body)
      if let failure = stream.failure { throw failure }
      if let obstacle = stream.obstacle, !left.contains(listing.peer) { throw obstacle }
    }
  }

  private func forEachChange(
    _ stream: some TransactionStream, _ schema: ReplicatedSchema,
    _ body: (ChangeView, TableShape, Int, BatchTransaction) throws -> Void
  ) throws {
    var tables: [TableShape: Int] = [:]
    while let head = stream.head {
      let transaction = BatchTransaction(head, of: stream.peer, schema: stream.schema)
      while let change = try stream.nextChange() {
        let shape = stream.shape(change.shapeID)
        guard let table = tables[shape] ?? self.table(shape.table, schema) else { continue }
        tables[shape] = table
        try body(change, shape, table, transaction)
      }
      try stream.advance()
    }
  }

  private func table(_ name: String, _ schema: ReplicatedSchema) -> Int? {
    guard case .present(let present) = names.meaning(of: name, among: schema) else { return nil }
    return schema.tableNumber(named: present)
  }
}
