import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// What fenced transactions have done, by row. Rows have the keys that the store shows.
struct FencedRows {
  let schema: ReplicatedSchema
  private(set) var rows: [RowIdentity: FencedRow] = [:]

  /// Reads the transactions.
  ///
  /// - Parameters:
  ///   - shown: the rows of the store. What was never imported is added to them.
  ///   - isWanted: selects authors.
  init(
    _ logs: FencedLogs, _ schema: ReplicatedSchema, in shown: ShownRows,
    by isWanted: (PeerIdentity) -> Bool
  ) throws {
    self.schema = schema
    var meaning = try ChangeMeaning(logs.exchange.connection)
    try logs.forEachFenced(by: isWanted) { stream, head in
      let transaction = BatchTransaction(head, of: stream.peer, schema: stream.schema)
      var place: Int32 = 0
      while let change = try stream.nextChange() {
        let shape = stream.shape(change.shapeID)
        let found = try meaning.read(change, shape, by: transaction, place: place) { _ in true }
        place += 1
        guard let (row, read) = found else { continue }
        if stream.peer == logs.retired?.peer { try shown.apply(read, to: row) }
        try add(
          read, to: row, number: Self.number(of: change, shape),
          isIssued: head.sequence <= logs.issuedByOthers[stream.peer] ?? .zero)
      }
    }
    rows = rows.filter { !$0.value.isIssued }
  }

  /// The number that an author gives to a row by a change.
  private static func number(of change: ChangeView, _ shape: TableShape) throws -> Int64? {
    guard change.operation == .insert else { return nil }
    return try shape.key(change.operation, image: change.image).first?.rowNumber
  }

  private mutating func add(
    _ change: RowHistory.Change, to row: RowIdentity, number: Int64?, isIssued: Bool
  ) throws {
    let table = schema.tables[row.table]
    let keys = Set(table.shape.keys.map(\.column))
    // An update that sets nothing says that somebody else has the number from now on.
    if change.operation == .update,
      !change.values.indices.contains(where: { change.values[$0] != nil && !keys.contains($0) })
    {
      return
    }
    // SQLite gives no negative numbers: by such a one, everybody means one row.
    let given = table.numbersItsRows ? number.flatMap { $0 < 0 ? nil : $0 } : nil
    rows[row, default: FencedRow(change)].add(
      change, numbering: given, table, isIssued: isIssued)
  }

  /// Adds all rows of tables that a baseline lacks: nobody there can have deleted them.
  ///
  /// - Complexity: O(rows of these tables)
  mutating func addRows(of tables: Set<Int>, from shown: ShownRows) throws {
    for number in tables where schema.tables[number].refusal == nil {
      let table = schema.tables[number]
      try shown.forEach(of: number) { row in
        guard !table.key(of: row).contains(.null) else { return }
        let identity = try table.identity(row, number: number)
        if rows[identity]?.numbering == nil {
          rows[identity] = FencedRow(anyColumnOf: table, isNew: true)
        }
      }
    }
  }

  /// Adds the rows that differ from those of a baseline, where transactions are forgotten.
  ///
  /// - Parameters:
  ///   - tables: the tables to compare.
  ///   - uncompared: those of them into which programs may have written what is in no transaction.
  ///   - areNew: whether nobody else can have deleted what the baseline lacks.
  /// - Complexity: O(rows of the store)
  mutating func addDifferences(
    in tables: Set<Int>, uncompared: Set<Int>, from shown: ShownRows, to returned: ShownRows,
    areNew: Bool, _ substitution: NumberSubstitution
  ) throws {
    for number in tables.sorted() where schema.tables[number].refusal == nil {
      let table = schema.tables[number]
      var different: [RowIdentity] = []
      try shown.forEach(of: number) { row in
        guard !table.key(of: row).contains(.null) else { return }
        let identity = try table.identity(row, number: number)
        guard rows[identity] == nil || uncompared.contains(number) else { return }
        let renumbered = substitution.row(row, of: number)
        let now = try returned.row(table.identity(renumbered, number: number))
        let isSame = now.map { zip($0, renumbered).allSatisfy { $0.hasSameBits(as: $1) } }
        if isSame != true { different.append(identity) }
      }
      for identity in different {
        rows[identity, default: FencedRow(anyColumnOf: table, isNew: areNew)].addColumns(of: table)
      }
    }
  }
}
