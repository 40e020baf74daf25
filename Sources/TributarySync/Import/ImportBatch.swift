import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryStore

/// The contents of one SQLite transaction of an import, while they are being put together.
final class ImportBatch {
  typealias Range = (
    peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber, time: HybridTime
  )

  typealias Migrated = (mark: String, peer: PeerIdentity, sequence: SequenceNumber)

  let changes: MergeBatch
  /// The mappings, by stream.
  @exclusivity(unchecked) var mappings: [ShapeMappings]
  @exclusivity(unchecked) private(set) var ranges: [Range] = []
  @exclusivity(unchecked) private(set) var transactions = 0
  /// The transactions that contain rows of migrations that run once.
  @exclusivity(unchecked) private(set) var migrations: [Migrated] = []
  /// The number of changed rows.
  @exclusivity(unchecked) var rows = 0

  init(_ changes: MergeBatch, streamCount: Int) {
    self.changes = changes
    mappings = Array(repeating: ShapeMappings(), count: streamCount)
  }

  /// Creates an empty batch that is filled while another one is written.
  convenience init(takingTurnsWith other: ImportBatch) throws {
    try self.init(
      MergeBatch(takingTurnsWith: other.changes), streamCount: other.mappings.count)
  }

  /// Starts a transaction. The following changes belong to it.
  ///
  /// - Parameter schema: the name of the schema under which it was written.
  func begin(_ head: TransactionHeader, of peer: PeerIdentity, schema: String) {
    transactions += 1
    if let mark = WrittenMigrations.mark(inSchema: schema) {
      migrations.append((mark, peer, head.sequence))
    }
    if let index = ranges.firstIndex(where: { $0.peer == peer }) {
      ranges[index].last = head.sequence
      ranges[index].time = head.time
    } else {
      ranges.append((peer, head.sequence, head.sequence, head.time))
    }
  }

  /// The last transaction in order of stamp.
  var last: Range? { ranges.max { ($0.time, $0.peer) < ($1.time, $1.peer) } }

  /// Empties the batch after its changes have been applied.
  func removeAll() {
    transactions = 0
    rows = 0
    ranges.removeAll()
    migrations.removeAll()
  }
}
