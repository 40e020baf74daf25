import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Applies all transactions of a store again, in order of stamp.
struct ReplayMerge {
  /// Rows of different devices were given one number, and this is not recorded yet.
  struct Accident: Error {
    var numberings: [Numbering]
  }

  private let batch: MergeBatch
  private let recordNumberings: () throws -> Void
  private var hasRecordedNumberings = false
  private var history: History
  private var mappings: [PeerIdentity: ShapeMappings] = [:]
  /// What has been applied.
  private var applied: [PeerIdentity: KnowledgeTable.Peer] = [:]
  /// What has been applied, and what is in the batch.
  private var added: [PeerIdentity: KnowledgeTable.Peer] = [:]

  /// The number of rows after which a batch is applied.
  private static let rowsPerBatch = 50_000
  private static let bytesPerBatch = 32 << 20

  /// Prepares the merge.
  ///
  /// - Parameters:
  ///   - known: what has already been imported, without the store's own transactions.
  ///   - settled: what the tables show already.
  ///   - recordNumberings: records the numberings that were added to the batch.
  init(
    _ replay: LogReplay, _ batch: MergeBatch, known: [KnowledgeTable.Peer] = [],
    after settled: SettledRows? = nil, recordNumberings: @escaping () throws -> Void = {}
  ) throws {
    self.batch = batch
    self.recordNumberings = recordNumberings
    history = try replay.history()
    if let settled { history.settled = settled }
    history.ownLast = settled?.horizon[history.own] ?? .zero
    applied = Dictionary(uniqueKeysWithValues: known.map { ($0.peer, $0) })
    for entry in settled?.horizon.entries ?? [] {
      applied[entry.peer] = KnowledgeTable.Peer(
        peer: entry.peer, sequence: entry.sequence,
        time: settled?.declaration.times[entry.peer] ?? .zero)
    }
    added = applied
  }

  mutating func add(_ stream: any TransactionStream, _ head: TransactionHeader) throws {
    let transaction = BatchTransaction(head, of: stream.peer, schema: stream.schema)
    batch.begin(transaction, isNew: true)
    while let change = try stream.nextChange() {
      if let mapping = try mappings[stream.peer, default: ShapeMappings()].mapping(
        change.shapeID, of: stream, in: batch)
      {
        try batch.add(change, mapping: mapping)
      }
      if batch.count >= Self.rowsPerBatch || batch.byteCount >= Self.bytesPerBatch {
        try apply()
        batch.begin(transaction, isNew: true)
      }
    }
    added[stream.peer] = KnowledgeTable.Peer(
      peer: stream.peer, sequence: head.sequence, time: head.time)
  }

  mutating func finish() throws {
    try apply()
    _ = try batch.finish { [history, batch, applied] rows in
      try history.histories(of: rows, in: batch, known: Self.others(applied, than: history.own))
    }
  }

  private mutating func apply() throws {
    try history.add(to: batch, known: Self.others(applied, than: history.own))
    let numberings = try batch.findAccidents()
    guard numberings.isEmpty else { throw Accident(numberings: numberings) }
    if !hasRecordedNumberings {
      try recordNumberings()
      try batch.settleNumberings()
      hasRecordedNumberings = true
    }
    try batch.apply()
    applied = added
    history.ownLast = applied[history.own]?.sequence ?? .zero
  }

  private static func others(
    _ peers: [PeerIdentity: KnowledgeTable.Peer], than own: PeerIdentity
  ) -> [KnowledgeTable.Peer] {
    peers.values.filter { $0.peer != own }
  }
}
