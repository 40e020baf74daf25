import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes rows of one table, with a prepared statement for each set of columns met.
final class RowApplier {
  let table: TableDescription
  private let connection: Connection
  private let keyColumns: [Int]
  let isKey: [Bool]
  /// Keys that are equal need not be the same bytes.
  private let rewritesKey: Bool
  @exclusivity(unchecked) private var inserts: ColumnSetCache
  @exclusivity(unchecked) private var updates: ColumnSetCache
  /// Updates that write the key too: a row is inserted over one whose key is spelled otherwise.
  @exclusivity(unchecked) private var rewrites: ColumnSetCache
  private var deletion: Statement?
  private var selection: Statement?
  /// Rows taken out because a UNIQUE key was in use, by key, to be put back when it is free.
  @exclusivity(unchecked) private var postponed: [[UInt8]: [Value]] = [:]
  private let encoder: RowKeyEncoder

  init(_ table: TableDescription, connection: Connection) {
    self.table = table
    self.connection = connection
    keyColumns = table.shape.keys.map(\.column)
    isKey = table.shape.columns.indices.map { column in
      table.shape.keys.contains { $0.column == column }
    }
    rewritesKey = !table.hasRowIdentifierKey
    encoder = RowKeyEncoder(shape: table.shape)
    inserts = ColumnSetCache(columnCount: table.shape.columns.count)
    updates = ColumnSetCache(columnCount: table.shape.columns.count)
    rewrites = ColumnSetCache(columnCount: table.shape.columns.count)
  }

  /// What became of a row.
  enum Effect {
    case none, inserted, updated, deleted
  }

  /// The row lives with these cells; `absent` ones keep what they have or take their default.
  ///
  /// - Parameter conditional: further cells, for a row that lives already.
  func put(
    _ cells: UnsafeMutableBufferPointer<ValueView>,
    conditional: [(column: Int, view: ValueView)] = []
  ) throws -> Effect {
    if try changePostponed(cells, conditional) { return .updated }
    let insert = try inserts.statement(cells, make: makeInsert)
    try bind(cells, to: insert)
    guard try runs(insert) else {
      return try postpone(cells, conditional: conditional) ? .updated : .inserted
    }
    if connection.changes > 0 { return .inserted }
    for cell in conditional { cells[cell.column] = cell.view }
    // Two devices that adopted copies of one database say the same of each row.
    if try holds(cells) { return .none }
    return try update(cells, rewritingKey: rewritesKey)
  }

  /// A living row gets the cells that are not `absent`.
  func update(_ cells: UnsafeMutableBufferPointer<ValueView>) throws -> Effect {
    if try changePostponed(cells, []) { return .updated }
    return try update(cells, rewritingKey: false)
  }

  /// Whether the row is as the cells say, to the bit.
  private func holds(_ cells: UnsafeMutableBufferPointer<ValueView>) throws -> Bool {
    let statement = try selection ?? makeSelection()
    selection = statement
    defer { statement.reset() }
    try bindKey(cells, to: statement, from: 1)
    guard try statement.step() else { return false }
    return cells.indices.allSatisfy { column in
      cells[column].kind == .absent || statement.holds(cells[column], at: column)
    }
  }

  private func update(
    _ cells: UnsafeMutableBufferPointer<ValueView>, rewritingKey: Bool
  ) throws -> Effect {
    let statement: Statement?
    if rewritingKey {
      statement = try rewrites.optionalStatement(cells, makeUpdate)
    } else {
      statement = try updates.optionalStatement(cells, makeUpdateSparingKey)
    }
    guard let update = statement else { return .none }
    let next = try bind(cells, to: update, includingKey: rewritingKey)
    try bindKey(cells, to: update, from: next)
    guard try runs(update) else {
      return try postpone(cells, conditional: []) ? .updated : .none
    }
    return connection.changes > 0 ? .updated : .none
  }

  /// The row with that key is dead.
  func delete(_ cells: UnsafeMutableBufferPointer<ValueView>) throws -> Effect {
    if !postponed.isEmpty, postponed.removeValue(forKey: try key(of: cells)) != nil {
      return .deleted
    }
    let statement =
      try deletion
      ?? connection.prepare(
        "DELETE FROM \(table.name.quotedIdentifier) WHERE \(table.keyCondition)", persistent: true)
    deletion = statement
    try bindKey(cells, to: statement, from: 1)
    try statement.run()
    return connection.changes > 0 ? .deleted : .none
  }

  /// Whether rows wait for their keys to be free.
  var hasPostponedRows: Bool { !postponed.isEmpty }

  /// Puts back what was taken out, as far as the keys are free by now.
  ///
  /// - Parameter all: whether every row of the import is in its place, so that none may stay out.
  /// - Throws: a UNIQUE violation when `all` holds and a key is in use all the same.
  func putBack(all: Bool) throws {
    guard !postponed.isEmpty else { return }
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: table.shape.columns.count).joined(separator: ", ")
    let insert = try connection.cached(
      "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))")
    for (key, row) in postponed {
      try insert.bind(row)
      if all {
        try insert.run()
      } else if try !runs(insert) {
        continue
      }
      postponed[key] = nil
    }
  }

  private func key(of cells: UnsafeMutableBufferPointer<ValueView>) throws -> [UInt8] {
    var key = ByteBuffer()
    try encoder.encode(keyColumns.map { cells[$0].value ?? .null }, into: &key)
    return Array(key.bytes)
  }

  /// Changes a row that is out of the table.
  ///
  /// - Returns: false when it is not.
  private func changePostponed(
    _ cells: UnsafeMutableBufferPointer<ValueView>, _ conditional: [(column: Int, view: ValueView)]
  ) throws -> Bool {
    guard !postponed.isEmpty else { return false }
    let key = try key(of: cells)
    guard var row = postponed[key] else { return false }
    for cell in conditional { row[cell.column] = cell.view.value ?? row[cell.column] }
    for column in cells.indices { row[column] = cells[column].value ?? row[column] }
    postponed[key] = row
    return true
  }

  /// - Returns: false when a UNIQUE key was in use.
  private func runs(_ statement: Statement) throws(SQLiteError) -> Bool {
    do {
      try statement.run()
      return true
    } catch {
      if error.isUniqueViolation { return false }
      throw error
    }
  }

  // MARK: Statements

  private func makeInsert(_ columns: [Int]) throws -> Statement {
    let names = columns.map { table.shape.columns[$0].quotedIdentifier }
    let marks = Array(repeating: "?", count: columns.count)
    return try connection.prepare(
      """
      INSERT INTO \(table.name.quotedIdentifier) (\(names.joined(separator: ", ")))
      VALUES (\(marks.joined(separator: ", ")))
      ON CONFLICT (\(table.keyTerms.joined(separator: ", "))) DO NOTHING
      """, persistent: true)
  }

  private func makeUpdate(_ columns: [Int]) throws -> Statement? {
    if columns.isEmpty { return nil }
    let terms = columns.map { "\(table.shape.columns[$0].quotedIdentifier) = ?" }
    return try connection.prepare(
      """
      UPDATE \(table.name.quotedIdentifier) SET \(terms.joined(separator: ", "))
      WHERE \(table.keyCondition)
      """, persistent: true)
  }

  private func makeSelection() throws -> Statement {
    // With the table's name: an unknown name alone in double quotes would be a text.
    let name = table.name.quotedIdentifier
    let columns = table.shape.columns.map { "\(name).\($0.quotedIdentifier)" }
    return try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(name) WHERE \(table.keyCondition)",
      persistent: true)
  }

  private func makeUpdateSparingKey(_ columns: [Int]) throws -> Statement? {
    try makeUpdate(columns.filter { !isKey[$0] })
  }

  /// - Returns: the number of the next parameter.
  @discardableResult
  private func bind(
    _ cells: UnsafeMutableBufferPointer<ValueView>, to statement: Statement,
    includingKey: Bool = true
  ) throws(SQLiteError) -> Int {
    var parameter = 1
    for column in cells.indices
    where cells[column].kind != .absent && (includingKey || !isKey[column]) {
      try statement.bind(cells[column], at: parameter)
      parameter += 1
    }
    return parameter
  }

  private func bindKey(
    _ cells: UnsafeMutableBufferPointer<ValueView>, to statement: Statement, from first: Int
  ) throws(SQLiteError) {
    for (place, column) in keyColumns.enumerated() {
      try statement.bind(cells[column], at: first + place)
    }
  }

  /// Takes the row with the key of `cells` out of the table until the batch is whole.
  ///
  /// - Returns: whether it was there.
  private func postpone(
    _ cells: UnsafeMutableBufferPointer<ValueView>, conditional: [(column: Int, view: ValueView)]
  ) throws -> Bool {
    let key = keyColumns.map { cells[$0].value ?? .null }
    let present = try RowReader(table).row(key, in: connection)
    // Defaults of columns that nobody gives are found out by SQLite, not by us.
    var row = try present ?? DefaultRow.values(of: table, connection)
    if present != nil {
      for cell in conditional { row[cell.column] = cell.view.value ?? row[cell.column] }
      _ = try delete(cells)
    }
    for column in cells.indices { row[column] = cells[column].value ?? row[column] }
    postponed[try self.key(of: cells)] = row
    return present != nil
  }
}
