import TributaryCore
import TributaryLog
import TributaryStore

/// Collects all changes of some rows from logs.
public final class RowHistories {
  private let batch: MergeBatch
  private let wanted: [RowIdentity: Int]
  private var histories: [RowHistory]
  private let rereading: Rereading

  public init(_ rows: Set<RowIdentity>, in batch: MergeBatch) {
    self.batch = batch
    wanted = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    histories = rows.map { _ in RowHistory() }
    rereading = Rereading(roots: batch.roots, registry: batch.registry)
  }

  /// Adds a change; the order does not matter.
  public func add(_ change: ChangeView, mapping: Int, by transaction: BatchTransaction) throws {
    let mapping = batch.mappings[mapping]
    guard let image = try rereading.image(of: change, mapping, by: transaction) else {
      return try add(change.operation, change.image, mapping, transaction)
    }
    try image.withUnsafeBytes { try add(change.operation, $0, mapping, transaction) }
  }

  private func add(
    _ operation: ChangeOperation, _ bytes: UnsafeRawBufferPointer, _ mapping: TableMapping,
    _ transaction: BatchTransaction
  ) throws {
    var key = ByteBuffer()
    try mapping.encoder.encode(operation, image: bytes, into: &key)
    let identity = RowIdentity(table: Int(mapping.tableNumber), key: Array(key.bytes))
    guard let place = wanted[identity] else { return }
    var values: [Value?] = mapping.table.shape.columns.map { _ in nil }
    var cursor = ImageCursor(bytes)
    let sources =
      operation == .delete ? mapping.sourceKeys : Array(0..<mapping.sourceColumnCount)
    for source in sources { values[mapping.columns[source]] = try cursor.next().value }
    histories[place].changes.append(
      RowHistory.Change(side: transaction.side, operation: operation, values: values))
  }

  /// All changes found, in order of stamp.
  public var result: [RowIdentity: RowHistory] {
    wanted.mapValues { place in
      var history = histories[place]
      history.changes.sort { $0.side < $1.side }
      return history
    }
  }
}
