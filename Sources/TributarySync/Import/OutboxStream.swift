import TributaryCore
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// A store's own transactions, from its outbox: those that it has not removed from there.
final class OutboxStream: TransactionStream {
  let peer: PeerIdentity
  private(set) var head: TransactionHeader?
  private(set) var schema = ""
  let generation = 0
  private let path: String
  private let connection: Connection
  private let outbox: Outbox
  private let registry: ShapeRegistry
  private let knowledge: KnowledgeTable
  private let last: SequenceNumber
  private var next: SequenceNumber
  private var piece = ByteBuffer(capacity: 0)
  private let pieces: OutboxPieces
  private var offset = 0

  init(
    peer: PeerIdentity, connection: Connection, from first: SequenceNumber = SequenceNumber(1)
  ) throws {
    self.peer = peer
    path = connection.path
    self.connection = connection
    outbox = Outbox(connection)
    pieces = OutboxPieces(connection)
    registry = try ShapeRegistry(connection)
    knowledge = KnowledgeTable(connection)
    last = try outbox.last()?.sequence ?? .zero
    next = first
    try advance()
  }

  func advance() throws {
    head = nil
    piece.removeAll()
    offset = 0
    guard next <= last, let record = try record() else { return }
    head = TransactionHeader(
      sequence: record.sequence, time: record.time, schema: record.schema,
      knowledge: try knowledge.at(record.sequence), basis: record.basis)
    schema = try SchemaNames(connection).name(of: record.schema) ?? ""
    pieces.begin(record.sequence)
    next = next.next
  }

  /// Returns the next record.
  private func record() throws -> Outbox.Record? {
    // Only adopted rows, whose time is zero, may be in a baseline alone.
    if let record = try outbox.records(from: next, to: next).first,
      try record.time > .zero || outbox.hasChanges(next)
    {
      return record
    }
    guard try next <= RemovedTransactions(connection).last,
      let first = try outbox.firstWithChanges(), first > next
    else { return nil }
    next = first
    return try outbox.records(from: next, to: next).first
  }

  func nextChange() throws -> ChangeView? {
    guard let head else { return nil }
    while true {
      var reader = ChangeListReader(UnsafeRawBufferPointer(rebasing: piece.bytes[offset...]))
      do {
        if let change = try reader.next(layout: registry.layout) {
          offset += reader.offset
          return change
        }
      } catch {
        throw StoreError.damaged(
          "transaction \(head.sequence) of this store cannot be read: \(error.message)", path: path)
      }
      guard try pieces.read(into: &piece) else { return nil }
      offset = 0
    }
  }

  func shape(_ id: UInt32) -> TableShape {
    guard let shape = registry.shapes[id] else {
      preconditionFailure("the reader knows its shapes")
    }
    return shape
  }
}
