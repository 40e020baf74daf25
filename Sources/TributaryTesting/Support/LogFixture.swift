import Foundation
package import TributaryContainer
package import TributaryCore
package import TributaryLog

/// Writes logs into a container, with any errors that a test needs.
package struct LogFixture {
  package let container: String
  package var contentName: String
  package var root: String
  /// Shapes that are defined in addition to the usual ones.
  package var moreShapes: [TableShape] = []

  package init(container: String, contentName: String = "Library", root: String = "tributary") {
    self.container = container
    self.contentName = contentName
    self.root = root
  }

  package static let alice = PeerIdentity(high: 0xa11c_e000_0000_0000, low: 1)
  package static let bob = PeerIdentity(high: 0xb0b0_0000_0000_0000, low: 2)

  package static let tracks = TableShape(
    table: "tracks", columns: ["id", "title", "length"], keys: [.init(column: 0)])
  package static let pairs = TableShape(
    table: "pairs", columns: ["a", "v", "b"], keys: [.init(column: 2), .init(column: 0)])

  package struct Change {
    package var operation: ChangeOperation
    package var shape: TableShape
    /// All columns; `nil` for an unchanged one; only the key, in its order, for a delete.
    package var values: [Value?]

    package init(operation: ChangeOperation, shape: TableShape, values: [Value?]) {
      self.operation = operation
      self.shape = shape
      self.values = values
    }

    package static func insert(_ values: Value..., into shape: TableShape = tracks) -> Change {
      Change(operation: .insert, shape: shape, values: values)
    }

    package static func update(_ values: Value?..., of shape: TableShape = tracks) -> Change {
      Change(operation: .update, shape: shape, values: values)
    }

    package static func delete(_ key: Value..., from shape: TableShape = tracks) -> Change {
      Change(operation: .delete, shape: shape, values: key)
    }
  }

  package struct Transaction {
    package var sequence: UInt64
    /// The time. By default, it is 1,700,000,000,000 plus as many seconds as the sequence.
    package var milliseconds: UInt64
    package var counter: UInt16 = 0
    package var knowledge: [PeerIdentity: UInt64] = [:]
    package var basis: [PeerIdentity: UInt64]?
    package var changes: [Change]

    package init(
      _ sequence: UInt64, at milliseconds: UInt64? = nil, counter: UInt16 = 0,
      knows knowledge: [PeerIdentity: UInt64] = [:], basis: [PeerIdentity: UInt64]? = nil,
      _ changes: Change...
    ) {
      self.sequence = sequence
      self.milliseconds = milliseconds ?? 1_700_000_000_000 + sequence * 1000
      self.counter = counter
      self.knowledge = knowledge
      self.basis = basis
      self.changes =
        changes.isEmpty ? [.insert(.integer(Int64(sequence)), "title", 1.5)] : changes
    }

    package var header: TransactionHeader {
      TransactionHeader(
        sequence: SequenceNumber(sequence),
        time: HybridTime(milliseconds: milliseconds, counter: counter), schema: 1,
        knowledge: Self.vector(knowledge), basis: basis.map(Self.vector))
    }

    private static func vector(_ entries: [PeerIdentity: UInt64]) -> Knowledge {
      Knowledge(entries.map { .init(peer: $0.key, sequence: SequenceNumber($0.value)) })
    }
  }

  package var content: String { "\(container)/\(root)/\(contentName)" }

  package func directory(of peer: PeerIdentity) -> String { "\(content)/peers/\(peer)" }

  /// Writes a segment where it belongs.
  ///
  /// - Returns: its path.
  @discardableResult
  package func write(
    _ transactions: [Transaction], by peer: PeerIdentity = alice,
    in directoryOwner: PeerIdentity? = nil,
    named name: String? = nil
  ) throws -> String {
    let bytes = try encode(transactions, by: peer)
    let log = directory(of: directoryOwner ?? peer) + "/log"
    try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
    let hash = bytes.withUnsafeBytes { SegmentHash.hash($0) }
    let right = SegmentName(
      first: SequenceNumber(transactions[0].sequence),
      last: SequenceNumber(transactions[transactions.count - 1].sequence), hash: hash)
    let path = "\(log)/\(name ?? right.description)"
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  package func encode(_ transactions: [Transaction], by peer: PeerIdentity) throws -> [UInt8] {
    let headers = transactions.map(\.header)
    var writer = try SegmentWriter(
      header: SegmentHeader(
        peer: peer, first: headers[0].sequence, last: headers[headers.count - 1].sequence,
        firstTime: headers[0].time, lastTime: headers[headers.count - 1].time,
        contentName: contentName, knowledge: headers[headers.count - 1].knowledge),
      sink: MemorySink())
    try writer.define(schema: 1, name: "music")
    let shapes = [Self.tracks, Self.pairs] + moreShapes
    for (index, shape) in shapes.enumerated() { try writer.define(shape: UInt32(index), shape) }
    for transaction in transactions {
      try writer.begin(transaction.header)
      for change in transaction.changes {
        let id = UInt32(shapes.firstIndex(of: change.shape) ?? 0)
        var buffer = ByteBuffer()
        buffer.appendChangeHead(change.operation, shape: id)
        for value in change.values {
          if let value { buffer.append(value) } else { buffer.appendAbsent(count: 1) }
        }
        try writer.append(changes: buffer.bytes)
      }
      try writer.end(changeCount: UInt64(transaction.changes.count))
    }
    return try writer.finishReturningSink().takeSink().bytes
  }

  /// Writes the file that describes a peer.
  package func writeManifest(
    of peer: PeerIdentity, name: String, sequence: UInt64 = 0,
    receipt: [PeerIdentity: UInt64] = [:],
    former: [PeerIdentity: ManifestFormer] = [:], retired: Set<PeerIdentity> = [],
    merge: [String: ManifestMerge] = [:], sql: [String] = []
  ) throws {
    let manifest = PeerManifest(
      peer: peer, name: name, content: try ContentName(contentName),
      sequence: SequenceNumber(sequence),
      receipt: Knowledge(receipt.map { .init(peer: $0.key, sequence: SequenceNumber($0.value)) }),
      former: former, retired: retired,
      schema: ManifestSchema(id: "music", tables: [], sql: sql, migrations: [], merge: merge))
    try FileManager.default.createDirectory(
      atPath: directory(of: peer), withIntermediateDirectories: true)
    try Data(manifest.bytes).write(to: URL(filePath: directory(of: peer) + "/peer.json"))
  }
}

/// Calls the body with a fixture in a separate container.
package func withLogs(_ body: (LogFixture) throws -> Void) throws {
  try withTemporaryDirectory { try body(LogFixture(container: $0)) }
}
