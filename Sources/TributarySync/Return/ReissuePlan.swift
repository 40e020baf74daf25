import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Compares the effects of fenced transactions with the contents of a baseline, row by row.
struct ReissuePlan {
  let logs: FencedLogs
  let fenced: FencedRows
  let base: BaseRows
  /// The rows of the store as it was.
  let shown: ShownRows
  /// The rows of the baseline.
  let returned: ShownRows
  let numbers: ReturnNumbers
  /// The conflicts, by row, in which something fenced has lost.
  private let conflicts: [RowIdentity: [Conflict]]

  /// A write, and the table of its row.
  typealias Step = (table: Int, write: Reissue.Write)

  /// - Parameter lacking: the tables whose contents are all issued again.
  init(
    _ logs: FencedLogs, _ fenced: FencedRows, _ base: BaseRows, shown: ShownRows,
    returned: ShownRows, numbers: ReturnNumbers, lacking: Set<Int>,
    by isWanted: (PeerIdentity) -> Bool
  ) throws {
    self.logs = logs
    self.fenced = fenced
    self.base = base
    self.shown = shown
    self.returned = returned
    self.numbers = numbers
    var conflicts: [RowIdentity: [Conflict]] = [:]
    for conflict in try ConflictTable(logs.exchange.connection).conflicts() {
      guard conflict.kind.isAboutCells,
        let number = fenced.schema.tableNumber(named: conflict.table),
        lacking.contains(number)
          || logs.contains(conflict.loser) && isWanted(conflict.loser.peer)
      else { continue }
      let row = try fenced.schema.tables[number].identity(key: conflict.key, number: number)
      conflicts[row, default: []].append(conflict)
    }
    self.conflicts = conflicts
  }

  /// All rows for which there may be something to write, in a fixed order.
  private var rows: [RowIdentity] {
    Set(fenced.rows.keys).union(conflicts.keys).sorted {
      $0.table != $1.table
        ? $0.table < $1.table : $0.key.lexicographicallyPrecedes($1.key)
    }
  }

  /// Returns what had already lost, in as many transactions as a row has lost something: if two of them lose,
  /// that is two conflicts.
  func losses() throws -> [[Step]] {
    var losses: [[Step]] = []
    for row in rows where conflicts[row] != nil {
      for (layer, write) in try reissues(of: row).losses.enumerated() {
        if layer == losses.count { losses.append([]) }
        losses[layer].append((row.table, write))
      }
    }
    return losses
  }

  /// Passes on what should be visible or loses now, and what is there.
  ///
  /// - Returns: the number of rows that were deleted and stay.
  func forEach(write: (Step) throws -> Void, restore: (Step) throws -> Void) throws -> Int {
    var undeleted = 0
    for row in rows {
      let found = try reissues(of: row)
      for reissue in found.reissues {
        if let step = reissue.write { try write((row.table, step)) }
        if let step = reissue.restoration { try restore((row.table, step)) }
        if reissue.isUndeleted { undeleted += 1 }
      }
    }
    return undeleted
  }

  private func reissues(
    of row: RowIdentity
  ) throws -> (reissues: [Reissue], losses: [Reissue.Write]) {
    let table = fenced.schema.tables[row.table]
    let substitution = numbers.substitution
    let key = substitution.key(try table.keyValues(row.key), table, number: row.table)
    let now = try returned.row(table.identity(key: key, number: row.table))
    var reissue = Reissue(table, now: now)
    var reissues: [Reissue] = []
    if let change = fenced.rows[row] {
      let before = try base.base(row, of: change)
      // If the row was given its number, what was seen under that number before was another row.
      reissue.add(
        change, row: try shown.row(row).map { substitution.row($0, of: row.table) },
        lost: lostColumns(of: row, table), base: change.numbering == nil ? before : BaseRows.Base(),
        key: key)
      if change.hasReplacedNumber, let key = try numbers.keyBefore(row) {
        let now = try returned.row(table.identity(key: key, number: row.table))
        var deletion = Reissue(table, now: now)
        deletion.delete(key, base: before)
        reissues.append(deletion)
      }
    }
    var losses: [Reissue.Write] = []
    for conflict in conflicts[row] ?? [] {
      let cells = substitution.cells(conflict.values, table, number: row.table)
      if let loss = reissue.losing(Self.values(cells, table), key: key) { losses.append(loss) }
    }
    return (reissues + [reissue], losses)
  }

  /// Returns the columns of a row in which something that is not fenced has won.
  private func lostColumns(of row: RowIdentity, _ table: TableDescription) -> Set<Int> {
    let lost = (conflicts[row] ?? []).flatMap { conflict in
      conflict.values.filter { !logs.contains($0.winner ?? conflict.winner) }
    }
    return Set(Self.values(lost, table).keys)
  }

  private static func values(_ cells: [Conflict.Cell], _ table: TableDescription) -> [Int: Value] {
    var values: [Int: Value] = [:]
    for cell in cells {
      let column = table.shape.columns.firstIndex { SQLName($0) == SQLName(cell.column) }
      if let column { values[column] = cell.value }
    }
    return values
  }
}
