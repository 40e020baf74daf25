package import TributaryContainer
internal import TributaryCore
package import TributaryFiles
package import TributaryLog

/// Copies transactions of a segment into another segment, whose author may be a different one.
///
/// The same copy has the same bytes on every device.
package struct SegmentCopy {
  private let path: String
  private let horizons: KnownHorizons
  private let fileSystem: any FileSystem
  private let readsToEnd: Bool
  private let copied: (TransactionHeader) -> TransactionHeader?

  /// Prepares the copy.
  ///
  /// - Parameters:
  ///   - horizons: the horizons that are known without the baselines beside the segment.
  ///   - readsToEnd: whether the segment must also be intact after the last transaction to copy.
  ///   - copied: returns a transaction as it is to be written; `nil` leaves it out.
  package init(
    of path: String, horizons: KnownHorizons = KnownHorizons(),
    using fileSystem: any FileSystem = LocalFileSystem(), readsToEnd: Bool,
    _ copied: @escaping (TransactionHeader) -> TransactionHeader?
  ) {
    self.path = path
    self.horizons = horizons
    self.fileSystem = fileSystem
    self.readsToEnd = readsToEnd
    self.copied = copied
  }

  /// Publishes the copy; publishes nothing if all transactions are left out.
  ///
  /// - Throws: `LogError` and `FileError` for a segment that cannot be read, `ContainerError` for one above a
  ///   horizon that is not known, and what publishing throws. In each case, nothing is left behind.
  package func publish(in target: SegmentStore) throws {
    var ends: (first: TransactionHeader, last: TransactionHeader)?
    try forEach { _, copy in ends = (ends?.first ?? copy, copy) }
    guard let (first, last) = ends else { return }
    let header = SegmentHeader(
      peer: target.peer, first: first.sequence, last: last.sequence, firstTime: first.time,
      lastTime: last.time, contentName: target.directory.name.text, knowledge: last.knowledge)
    _ = try target.publish(first: first.sequence, last: last.sequence) { sink in
      var writer = try SegmentWriter(header: header, sink: sink)
      try forEach { try Self.write($1, of: $0, to: &writer) }
      return try writer.finish().contentHash
    }
  }

  private func forEach(_ body: (SegmentCursor, TransactionHeader) throws -> Void) throws {
    let cursor = try SegmentCursor(path, horizons: horizons, fileSystem)
    if let declaration = cursor.unknownHorizon { throw ContainerError.unknown(declaration, path) }
    var hasBegun = false
    while try cursor.advance(), let transaction = cursor.transaction {
      if let copy = copied(transaction) {
        try body(cursor, copy)
        hasBegun = true
      } else if hasBegun, !readsToEnd {
        return
      }
    }
  }

  private static func write(
    _ transaction: TransactionHeader, of cursor: SegmentCursor,
    to writer: inout SegmentWriter<SegmentFileSink>
  ) throws {
    if !writer.isDefined(schema: transaction.schema) {
      try writer.define(schema: transaction.schema, name: cursor.schema)
    }
    for (id, shape) in cursor.shapes.sorted(by: { $0.key < $1.key })
    where !writer.isDefined(shape: id) {
      try writer.define(shape: id, shape)
    }
    try writer.begin(transaction)
    var count: UInt64 = 0
    var item = ByteBuffer()
    while let change = try cursor.nextChange() {
      item.removeAll()
      item.appendChangeHead(change.operation, shape: change.shapeID)
      item.append(change.image)
      try writer.append(changes: item.bytes)
      count += 1
    }
    try writer.end(changeCount: count)
  }
}
