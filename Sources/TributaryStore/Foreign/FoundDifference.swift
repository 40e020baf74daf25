package import TributaryCore
import TributarySQLite

/// A row that another program wrote without being captured, found by comparison with the logs.
package struct FoundDifference: Sendable {
  package enum Kind: Sendable {
    /// The logs do not have the row.
    case inserted
    /// In these columns, the logs have values that differ from the table's.
    case updated([SQLName: Value])
    /// Only the logs have the row.
    case deleted
  }

  /// The name of the table.
  package var table: String
  /// The key, in the order of its columns.
  package var key: [Value]
  package var kind: Kind

  package init(table: String, key: [Value], kind: Kind) {
    self.table = table
    self.key = key
    self.kind = kind
  }
}

extension ForeignCapture {
  /// Writes differences into the journals, as triggers would have, within the open transaction. The store's
  /// next transaction records them.
  package func note(_ differences: [FoundDifference], _ schema: ReplicatedSchema) throws {
    if differences.isEmpty { return }
    if try !isUsed() { try Settings(connection).set(.captured, .integer(Self.noted)) }
    var made: Set<SQLName> = []
    for difference in differences {
      guard let table = schema.table(named: difference.table) else { continue }
      let triggers = CaptureTriggers(table: table, uniqueKeys: [], updatesComeBack: false)
      if made.insert(SQLName(table.name)).inserted {
        let exists = try connection.integer(
          "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
          .string(CaptureTriggers.journal(of: table.name)))
        let statement =
          WideJournal.isNeeded(table)
          ? WideJournal(table: table).statement : triggers.journalStatement
        if exists == 0 { try connection.execute(statement) }
      }
      try triggers.note(difference, in: connection)
    }
  }
}

extension CaptureTriggers {
  /// Writes into the journal what a trigger would have written, as far as that is known.
  fileprivate func note(_ difference: FoundDifference, in connection: Connection) throws {
    let keys = table.shape.keys.map(\.column)
    if case .updated(let cells) = difference.kind {
      let former = table.shape.columns.map { cells[SQLName($0)] }
      // The key is spelled differently, but equal by its collation.
      if keys.contains(where: { former[$0] != nil }),
        let row = try RowReader(table).row(difference.key, in: connection)
      {
        return try noteRespelled(row, former: former, in: connection)
      }
    }
    if WideJournal.isNeeded(table) { return try noteWide(difference, in: connection) }
    var columns = ["op"]
    var values: [Value] = []
    var masks: [Int: Int64] = [:]
    func add(_ column: Int, _ value: Value) {
      columns.append((Self.columnPrefix + table.shape.columns[column]).quotedIdentifier)
      values.append(value)
    }
    func mark(_ column: Int) {
      masks[column / Self.maskWidth, default: 0] |= 1 << (column % Self.maskWidth)
    }
    for (place, column) in keys.enumerated() { add(column, difference.key[place]) }
    switch difference.kind {
    case .inserted: values.insert(.integer(Operation.insert.rawValue), at: 0)
    case .deleted:
      values.insert(.integer(Operation.delete.rawValue), at: 0)
      for column in table.shape.columns.indices where !keys.contains(column) { mark(column) }
    case .updated(let cells):
      values.insert(.integer(Operation.update.rawValue), at: 0)
      let names = table.shape.columns.map { SQLName($0) }
      for (name, value) in cells {
        guard let column = names.firstIndex(of: name), !keys.contains(column) else { continue }
        if value == .null { mark(column) } else { add(column, value) }
      }
    }
    for mask in 0..<maskCount {
      columns.append("m\(mask)")
      values.append(.integer(masks[mask] ?? 0))
    }
    try insert(columns, values, in: connection)
  }

  /// Writes what the triggers write when an update changes a key: the former row is deleted, and the new row
  /// is inserted.
  ///
  /// - Parameter former: for each column, the value in the logs if it differs.
  private func noteRespelled(
    _ row: [Value], former: [Value?], in connection: Connection
  ) throws {
    let keys = table.shape.keys.map(\.column)
    let old = row.indices.map { former[$0] ?? row[$0] }
    if WideJournal.isNeeded(table) {
      let journal = WideJournal(table: table)
      try journal.append(.delete, key: keys.map { old[$0] }, former: old, in: connection)
      return try journal.append(.insert, key: keys.map { row[$0] }, former: [], in: connection)
    }
    let names = table.shape.columns.map { (Self.columnPrefix + $0).quotedIdentifier }
    try insert(
      ["op"] + names,
      [.integer(Operation.delete.rawValue)] + old, in: connection)
    try insert(
      ["op"] + keys.map { names[$0] },
      [.integer(Operation.insert.rawValue)] + keys.map { row[$0] }, in: connection)
  }

  private func noteWide(_ difference: FoundDifference, in connection: Connection) throws {
    let operation: Operation
    var former: [Value?] = []
    switch difference.kind {
    case .inserted: operation = .insert
    case .deleted: operation = .delete
    case .updated(let cells):
      operation = .update
      former = table.shape.columns.map { cells[SQLName($0)] }
    }
    try WideJournal(table: table).append(
      operation, key: difference.key, former: former, in: connection)
  }

  private func insert(
    _ columns: [String], _ values: [Value], in connection: Connection
  ) throws {
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.cached(
      "INSERT INTO main.\(Self.journal(of: table.name).quotedIdentifier)(\(columns.joined(separator: ", "))) VALUES (\(marks))"
    )
    try statement.bind(values)
    try statement.run()
  }
}
