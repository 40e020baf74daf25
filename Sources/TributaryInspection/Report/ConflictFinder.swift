internal import TributaryCore
internal import TributaryLog

/// Finds writes of one row whose authors did not know each other's write, while transactions arrive in order
/// of their stamps.
///
/// For each row, it keeps only the last writers and, of their writes, only those that no author who knew them
/// has overwritten, as the merge does: an unanswered write may still conflict. They are in a temporary
/// database, so memory does not grow with the rows. Rows held back by constraints do not show here.
final class ConflictFinder {
  /// What the finder needs to know about the current transaction.
  private struct Author {
    var peer: Int
    var identity: PeerIdentity
    var transaction: TransactionHeader
  }

  private let states: RowStates
  private let registry: (Int) -> PeerIdentity
  private var author: Author?
  /// The conflicts of the current transaction.
  private var pending = ConflictList()
  private(set) var list: ConflictList

  /// If more peers than this have written a row concurrently, only the latest of them are kept.
  private static let writerLimit = 32
  private static let columnLimit = 8

  /// Makes a finder.
  ///
  /// - Parameter identity: returns the identity of a peer, given its number.
  /// - Throws: `SQLiteError` if there is no space for temporary files.
  init(limit: Int, identity: @escaping (Int) -> PeerIdentity) throws {
    states = try RowStates()
    registry = identity
    list = ConflictList(limit: limit)
    pending = ConflictList(limit: limit)
  }

  func begin(_ transaction: TransactionHeader, by peer: Int) {
    author = Author(peer: peer, identity: registry(peer), transaction: transaction)
    pending.removeAll()
  }

  /// Adds a change.
  ///
  /// - Parameter isNatural: whether one number means one row, according to the peers.
  /// - Throws: `LogError` for a change that does not fit the shape; `SQLiteError`.
  func take(_ change: RowChange, row: Int64, table: Int?, isNatural: Bool) throws {
    guard let author else { return }
    var writers = try states.writers(of: row)
    list.answer(row, change) { knows($0, author) }
    for writer in writers {
      if let conflict = conflict(change, author, writer, isNatural: isNatural) {
        pending.append(
          ReportConflict(
            kind: conflict.kind, table: table, key: change.keyText, columns: conflict.columns,
            winner: conflict.winner, loser: conflict.loser,
            time: author.transaction.time.milliseconds), row: row)
      }
    }
    update(&writers, change, author)
    try states.set(writers, of: row)
  }

  /// Ends the transaction.
  ///
  /// - Parameter isListed: whether to list what was found in this transaction.
  func end(isListed: Bool) {
    if isListed { list.append(pending) }
    pending.removeAll()
    author = nil
  }

  private func knows(_ side: ReportConflict.Side, _ author: Author) -> Bool {
    if let basis = author.transaction.basis {
      return basis[registry(side.peer)] >= side.sequence
    }
    return side.peer == author.peer
      || author.transaction.knowledge[registry(side.peer)] >= side.sequence
  }

  private func knows(_ writer: RowWriter, _ sequence: UInt64, _ author: Author) -> Bool {
    knows(.init(peer: writer.peer, sequence: SequenceNumber(sequence)), author)
  }

  // MARK: Comparing

  private typealias Found = (
    kind: ReportConflict.Kind, columns: [String], winner: ReportConflict.Side,
    loser: ReportConflict.Side
  )

  /// Returns how a change and an earlier writer contradict each other; `nil` if they do not.
  private func conflict(
    _ change: RowChange, _ author: Author, _ writer: RowWriter, isNatural: Bool
  ) -> Found? {
    let own = ReportConflict.Side(peer: author.peer, sequence: author.transaction.sequence)
    func side(_ sequence: UInt64) -> ReportConflict.Side {
      .init(peer: writer.peer, sequence: SequenceNumber(sequence))
    }
    // An update of a deleted row does nothing; a later insert brings the row back.
    if change.operation == .update, writer.deletion > 0, !knows(writer, writer.deletion, author) {
      return (.delete, [], winner: side(writer.deletion), loser: own)
    }
    let cells = writer.cells.filter { !knows(writer, $0.sequence, author) }
    if change.operation == .delete {
      guard let last = cells.map(\.sequence).max() else { return nil }
      return (.delete, [], winner: own, loser: side(last))
    }
    var columns: [String] = []
    var lost: RowWriter.Cell?
    for written in change.cells {
      guard let cell = cells.first(where: { $0.column == written.column }),
        cell.digest != written.digest
      else { continue }
      if columns.count < Self.columnLimit { columns.append(written.name) }
      if lost.map({ $0.sequence < cell.sequence }) ?? true { lost = cell }
    }
    guard let lost else { return nil }
    let isNumber =
      change.operation == .insert && lost.operation == .insert && !isNatural
      && change.key.count == 1 && change.key[0].isInteger
    return (
      isNumber ? .number : lost.operation.putsRow ? .insert : .update, columns, winner: own,
      loser: side(lost.sequence)
    )
  }

  /// Removes what the change answers, and adds what it writes.
  private func update(_ writers: inout [RowWriter], _ change: RowChange, _ author: Author) {
    let columns = Set(change.cells.map(\.column))
    let givesAll = change.operation != .update
    for index in writers.indices {
      let writer = writers[index]
      writers[index].cells.removeAll {
        (givesAll || columns.contains($0.column)) && knows(writer, $0.sequence, author)
      }
      if givesAll, writer.deletion > 0, knows(writer, writer.deletion, author) {
        writers[index].deletion = 0
      }
    }
    var own = RowWriter(peer: author.peer)
    if let index = writers.firstIndex(where: { $0.peer == author.peer }) {
      own = writers.remove(at: index)
    }
    let sequence = author.transaction.sequence.rawValue
    if change.operation == .delete { own.deletion = sequence }
    own.cells.removeAll { columns.contains($0.column) }
    for cell in change.cells {
      own.cells.append(
        .init(
          column: cell.column, sequence: sequence, operation: change.operation, digest: cell.digest)
      )
    }
    writers.removeAll(where: \.isEmpty)
    if !own.isEmpty { writers.append(own) }
    if writers.count > Self.writerLimit { writers.removeFirst() }
  }
}

extension Value {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
}
