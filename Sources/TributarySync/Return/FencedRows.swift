import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// What fenced transactions have done, by row. Rows have the keys that the store shows.
struct FencedRows {
  let schema: ReplicatedSchema
  private(set) var rows: [RowIdentity: FencedRow] = [:]
  /// The rows for which another store has issued again everything that is known.
  private var issued: Set<RowIdentity> = []

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
    issued = Set(rows.filter(\.value.isIssued).keys)
    for row in issued { rows[row] = nil }
  }

  /// Returns the number that an author gives to a row by a change.
  private static func number(of change: ChangeView, _ shape: TableShape) throws -> Int64? {
    guard change.operation == .insert else { return nil }
    return try shape.key(change.operation, image: change.image).first?.rowNumber
  }

  private mutating func add(
    _ change: RowHistory.Change, to row: RowIdentity, number: Int64?, isIssued: Bool
  ) throws {
    let table = schema.tables[row.table]
    let keys = Set(table.shape.keys.map(\.column))
    // An update that sets nothing means that another row has the number from now on.
    if change.operation == .update,
      !change.values.indices.contains(where: { change.values[$0] != nil && !keys.contains($0) })
    {
      return
    }
    // SQLite assigns no negative numbers. A negative number means the same row to all authors.
    let given = table.numbersItsRows ? number.flatMap { $0 < 0 ? nil : $0 } : nil
    rows[row, default: FencedRow(change)].add(
      change, numbering: given, table, isIssued: isIssued)
  }

  /// Adds all rows of tables that a baseline lacks: no device there can have deleted them.
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

  /// Adds the rows that differ from those of a baseline, where transactions are forgotten, or programs may have
  /// written what is in no transaction. Other transactions may have changed the same rows.
  ///
  /// - Parameters:
  ///   - tables: the tables to compare.
  ///   - uncompared: those tables into which programs may have written what is in no transaction.
  ///   - deletions: what other devices may have deleted.
  /// - Complexity: O(rows of the store)
  mutating func addDifferences(
    in tables: Set<Int>, uncompared: Set<Int>, from shown: ShownRows, to returned: ShownRows,
    _ deletions: DeletionsElsewhere, _ substitution: NumberSubstitution
  ) throws {
    for number in tables.sorted() where schema.tables[number].refusal == nil {
      let table = schema.tables[number]
      let isUncompared = uncompared.contains(number)
      var different: [(row: RowIdentity, isNew: Bool)] = []
      try shown.forEach(of: number) { row in
        guard !table.key(of: row).contains(.null) else { return }
        let identity = try table.identity(row, number: number)
        // Of a row that the transactions have not inserted, what is forgotten may have written other columns.
        if let row = rows[identity], row.isWhole, row.first == .insert, !isUncompared { return }
        let renumbered = substitution.row(row, of: number)
        let there = try table.identity(renumbered, number: number)
        let now = try returned.row(there)
        let isSame = now.map { zip($0, renumbered).allSatisfy { $0.hasSameBits(as: $1) } }
        if isSame == true { return }
        let isNew = now == nil && !deletions.mayHave(identity) && !deletions.mayHave(there)
        different.append((identity, isNew))
      }
      for (identity, isNew) in different {
        rows[identity, default: FencedRow(anyColumnOf: table, isNew: isNew)]
          .addColumns(of: table, isNew: isNew && !isUncompared)
      }
    }
  }

  /// Adds all rows that differ from those of a baseline, to be compared with their base, where logs are lost.
  ///
  /// - Complexity: O(rows of the store and of the baseline)
  mutating func addComparisons(
    from shown: ShownRows, to returned: ShownRows, _ substitution: NumberSubstitution
  ) throws {
    for (number, table) in schema.tables.enumerated() where table.refusal == nil {
      var present: Set<[UInt8]> = []
      var found: [RowIdentity] = []
      try shown.forEach(of: number) { row in
        guard !table.key(of: row).contains(.null) else { return }
        let renumbered = substitution.row(row, of: number)
        let identity = try table.identity(renumbered, number: number)
        let original = try table.identity(row, number: number)
        present.insert(identity.key)
        guard !issued.contains(original) else { return }
        let isSame = try returned.row(identity).map {
          zip($0, renumbered).allSatisfy { $0.hasSameBits(as: $1) }
        }
        if isSame != true { found.append(original) }
      }
      for identity in found {
        rows[identity, default: FencedRow(anyColumnOf: table, isNew: false)].compare()
      }
      var gone: [RowIdentity] = []
      try returned.forEach(of: number) { row in
        let key = table.key(of: row)
        guard !key.contains(.null), substitution.key(key, table, number: number) == key else {
          return
        }
        let identity = try table.identity(row, number: number)
        if !present.contains(identity.key), rows[identity] == nil { gone.append(identity) }
      }
      for identity in gone { rows[identity] = FencedRow(isComparedAsDeleted: true) }
    }
  }
}
