import TributaryCore
import TributaryLog
import TributaryStore

/// Rows that a migration has inserted on several devices that did not know of each other. The earliest insert
/// counts, and what users have done to the row since is kept, including deletions.
extension MergeBatch {
  /// Returns further known runs of the migrations in the batch, besides the runs that it contains.
  package func otherRuns() -> [(peer: PeerIdentity, sequence: SequenceNumber)] {
    guard hasMarks else { return [] }
    let here = Set(transactions.filter { $0.mark != nil }.map(\.side).map(Run.init))
    let marks = Set(transactions.compactMap(\.mark))
    return migrations.all.runs(of: marks).filter { !here.contains(Run($0)) }
  }

  private struct Run: Hashable {
    var peer: PeerIdentity
    var sequence: SequenceNumber

    init(_ side: Conflict.Side) { (peer, sequence) = (side.peer, side.sequence) }
    init(_ run: (peer: PeerIdentity, sequence: SequenceNumber)) { (peer, sequence) = run }
  }

  /// Returns the operations of a row in the order in which they apply, without inserts of a migration that
  /// repeat an insert from another device.
  func operationsOnce(of row: Int) throws -> [RowOperation] {
    let list = rows.orderedOperations(of: row)
    guard hasMarks, list.count > 1 else { return list }
    var earlier: [(mark: String, cells: [ValueView])] = []
    return try list.filter { operation in
      guard operation.operation == .insert, !operation.takesAway,
        let mark = transactions[Int(operation.transaction)].mark
      else { return true }
      let mapping = mappings[Int(operation.mapping)]
      let cells = try mapping.cells(.insert, rows.bytes(operation.image))
      let isRepeat = earlier.contains { other in
        other.mark == mark
          && cells.indices.allSatisfy { column in
            mapping.isKey[column] || cells[column].value.hasSameBits(as: other.cells[column].value)
          }
      }
      if !isRepeat { earlier.append((mark, cells)) }
      return !isRepeat
    }
  }
}
