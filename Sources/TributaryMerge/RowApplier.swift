import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes rows of one table, with a prepared statement for each set of columns that occurs.
final class RowApplier {
  let table: TableDescription
  let number: Int
  private let connection: Connection
  private let exceptions: Exceptions
  private let constraints: ConstraintSet
  private let manner: WriteManner
  private let keyColumns: [Int]
  let isKey: [Bool]
  /// Whether equal keys may differ in their bytes.
  private let rewritesKey: Bool
  @exclusivity(unchecked) private var inserts: ColumnSetCache
  @exclusivity(unchecked) private var updates: ColumnSetCache
  /// Updates that also write the key, for when a row is inserted over one whose key is spelled differently.
  @exclusivity(unchecked) private var rewrites: ColumnSetCache
  private var deletion: Statement?
  private var selection: Statement?
  private let encoder: RowKeyEncoder
  private let reader: RowReader
  /// The place for rows that are out of the table; the inner value is `nil` if they need none.
  private var aside: RowsAside??

  /// Makes an applier.
  ///
  /// - Parameter number: the position of the table in the schema.
  init(
    number: Int, connection: Connection, exceptions: Exceptions, constraints: ConstraintSet
  ) throws {
    let table = constraints.schema.tables[number]
    self.table = table
    self.number = number
    self.exceptions = exceptions
    self.constraints = constraints
    manner = try WriteManner(table, importingOn: connection)
    self.connection = connection
    keyColumns = table.shape.keys.map(\.column)
    isKey = table.shape.columns.indices.map { column in
      table.shape.keys.contains { $0.column == column }
    }
    rewritesKey = !table.hasRowIdentifierKey
    encoder = RowKeyEncoder(shape: table.shape)
    reader = RowReader(table)
    inserts = ColumnSetCache(columnCount: table.shape.columns.count)
    updates = ColumnSetCache(columnCount: table.shape.columns.count)
    rewrites = ColumnSetCache(columnCount: table.shape.columns.count)
  }

  /// What happened to a row.
  enum Effect {
    case none, inserted, updated, deleted
  }

  /// Makes the row live with these cells. Cells that are `absent` keep their values or take their defaults.
  ///
  /// - Parameter conditional: further cells, which apply only to a row that already lives.
  func put(
    _ cells: UnsafeMutableBufferPointer<ValueView>,
    conditional: [(column: Int, view: ValueView)] = []
  ) throws -> Effect {
    if try changeAway(cells, conditional) { return .none }
    switch try insert(cells) {
    case .done: return .inserted
    case .isThere: break
    case .isInTheWay:
      try takeOut(cells, conditional: conditional)
      return .none
    }
    if exceptions.follows(number) { try follow(cells) }
    for cell in conditional { cells[cell.column] = cell.view }
    // Two devices that adopted copies of the same database say the same about each row.
    if try holds(cells) { return .none }
    return try update(cells, rewritingKey: rewritesKey)
  }

  private enum Insertion { case done, isThere, isInTheWay }

  private func insert(_ cells: UnsafeMutableBufferPointer<ValueView>) throws -> Insertion {
    if manner.looksFirst {
      if try reader.row(keyValues(cells), in: connection) != nil { return .isThere }
      guard try isAlone(cells, over: DefaultRow.values(of: table, connection)) else {
        return .isInTheWay
      }
    }
    let insert = try inserts.statement(cells, make: makeInsert)
    try bind(cells, to: insert)
    guard try runs(insert) else { return .isInTheWay }
    if connection.changes > 0 { return .done }
    if manner.looksFirst { throw constraints.passedOver(table: number) }
    return .isThere
  }

  /// Whether no other row has a unique key of this one, for `WriteManner.looksFirst`.
  ///
  /// - Parameter row: the values of the cells that are `absent`.
  private func isAlone(
    _ cells: UnsafeMutableBufferPointer<ValueView>, over row: [Value], sparingKey: Bool = false
  ) throws -> Bool {
    var row = row
    for column in cells.indices where !(sparingKey && isKey[column]) {
      row[column] = cells[column].value ?? row[column]
    }
    return try isAlone(row)
  }

  private func isAlone(_ row: [Value]) throws -> Bool {
    do {
      try constraints.checkAlone(row, table: number)
      return true
    } catch let error as SQLiteError where error.isUniqueViolation || error.breaks(table) {
      return false
    }
  }

  /// Gives a living row the cells that are not `absent`.
  func update(_ cells: UnsafeMutableBufferPointer<ValueView>) throws -> Effect {
    if try changeAway(cells, [], sparingKey: true) { return .none }
    if exceptions.follows(number) { try follow(cells) }
    return try update(cells, rewritingKey: false)
  }

  /// Returns the row with a key, in its table or out of it.
  func row(_ key: [Value]) throws -> [Value]? {
    if hasRowsAway,
      let away = try exceptions.rowAway(table.identity(key: key, number: number))
    {
      return away.row
    }
    return try reader.row(key, in: connection)
  }

  /// Whether the row matches the cells bit by bit.
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
    if manner.looksFirst, let row = try reader.row(keyValues(cells), in: connection),
      try !isAlone(cells, over: row, sparingKey: !rewritingKey)
    {
      try takeOut(cells, conditional: [], sparingKey: !rewritingKey)
      return .none
    }
    let next = try bind(cells, to: update, includingKey: rewritingKey)
    try bindKey(cells, to: update, from: next)
    guard try runs(update) else {
      try takeOut(cells, conditional: [], sparingKey: !rewritingKey)
      return .none
    }
    return connection.changes > 0 ? .updated : .none
  }

  /// Makes the row with a key dead.
  ///
  /// - Parameter isComingBack: whether it is only taken out of its table until other rows are in place.
  func delete(
    _ cells: UnsafeMutableBufferPointer<ValueView>, isComingBack: Bool = false
  ) throws -> Effect {
    if hasRowsAway || exceptions.follows(number) {
      let identity = RowIdentity(table: number, key: try key(of: cells))
      let row = try exceptions.rowAway(identity)
      try exceptions.didDelete(
        identity, key: row.map { table.key(of: $0.row) } ?? keyValues(cells))
      if let row {
        guard let shown = row.shown else { return .none }
        try rowsAside()?.leaveOut(table.key(of: shown))
        return .deleted
      }
    }
    if isComingBack, let rows = try rowsAside() {
      try rows.takeOut(keyValues(cells))
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

  /// Returns the place for rows that are out of the table; `nil` if they need none.
  private func rowsAside() throws -> RowsAside? {
    if let aside { return aside }
    let rows = try RowsAside.make(table, connection)
    aside = .some(rows)
    return rows
  }

  /// Whether rows are out of the table.
  var hasRowsAway: Bool { exceptions.hasRowsAway(number) }

  /// Puts back the rows that were taken out, as far as their keys are free by now.
  ///
  /// - Returns: the rows that are in the table again.
  func putBack() throws -> [Resolver.Lifted] {
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: table.shape.columns.count).joined(separator: ", ")
    let insert = try connection.cached(
      "INSERT\(manner.clause) INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))")
    var back: [Resolver.Lifted] = []
    for (key, row) in exceptions.rowsAway(number) {
      if manner.looksFirst, try !isAlone(row.row) { continue }
      if row.shown != nil, let rows = try rowsAside() {
        guard try isFree({ try rows.putBack(row.row) }) else { continue }
      } else {
        try insert.bind(row.row)
        if try !runs(insert) { continue }
      }
      exceptions.setAway(RowIdentity(table: number, key: key), nil)
      back.append(row)
    }
    return back
  }

  private func keyValues(_ cells: UnsafeMutableBufferPointer<ValueView>) -> [Value] {
    keyColumns.map { cells[$0].value ?? .null }
  }

  /// Records that a visible row is written.
  private func follow(_ cells: UnsafeMutableBufferPointer<ValueView>) throws {
    try exceptions.didWrite(
      RowIdentity(table: number, key: key(of: cells)), key: keyValues(cells),
      columns: Set(cells.indices.filter { cells[$0].kind != .absent }))
  }

  private func key(of cells: UnsafeMutableBufferPointer<ValueView>) throws -> [UInt8] {
    var key = ByteBuffer()
    try encoder.encode(keyColumns.map { cells[$0].value ?? .null }, into: &key)
    return Array(key.bytes)
  }

  /// Changes a row that is out of the table.
  ///
  /// - Parameter sparingKey: whether the key only names the row, however it is spelled.
  /// - Returns: `false` if the row is not out of the table.
  private func changeAway(
    _ cells: UnsafeMutableBufferPointer<ValueView>, _ conditional: [(column: Int, view: ValueView)],
    sparingKey: Bool = false
  ) throws -> Bool {
    guard hasRowsAway else { return false }
    let identity = RowIdentity(table: number, key: try key(of: cells))
    guard var away = try exceptions.rowAway(identity) else { return false }
    for cell in conditional { away.row[cell.column] = cell.view.value ?? away.row[cell.column] }
    for column in cells.indices where !(sparingKey && isKey[column]) {
      away.row[column] = cells[column].value ?? away.row[column]
    }
    away.isWritten = true
    exceptions.setAway(identity, away)
    return true
  }

  /// Runs a statement.
  ///
  /// - Returns: `false` if a UNIQUE key was in use, or if the row breaks a NOT NULL or CHECK constraint;
  ///   whether that lasts is known when the batch is complete.
  private func runs(_ statement: Statement) throws -> Bool {
    try isFree { try statement.run() }
  }

  private func isFree(_ write: () throws -> Void) throws -> Bool {
    do {
      try write()
      return true
    } catch let error as SQLiteError where error.isUniqueViolation || error.breaks(table) {
      return false
    }
  }

  // MARK: Statements

  private func makeInsert(_ columns: [Int]) throws -> Statement {
    let substitutes = table.substitutes.filter { !columns.contains($0.column) }
    let names = (columns + substitutes.map(\.column)).map {
      table.shape.columns[$0].quotedIdentifier
    }
    let marks = Array(repeating: "?", count: columns.count) + substitutes.map(\.literal)
    return try connection.prepare(
      """
      INSERT\(manner.clause) INTO \(table.name.quotedIdentifier) (\(names.joined(separator: ", ")))
      VALUES (\(marks.joined(separator: ", ")))
      ON CONFLICT (\(table.keyTerms.joined(separator: ", "))) DO NOTHING
      """, persistent: true)
  }

  private func makeUpdate(_ columns: [Int]) throws -> Statement? {
    if columns.isEmpty { return nil }
    let terms = columns.map { "\(table.shape.columns[$0].quotedIdentifier) = ?" }
    return try connection.prepare(
      """
      UPDATE\(manner.clause) \(table.name.quotedIdentifier) SET \(terms.joined(separator: ", "))
      WHERE \(table.keyCondition)
      """, persistent: true)
  }

  private func makeSelection() throws -> Statement {
    // Each name is qualified with the table's name: SQLite would take an unknown name in double quotes alone
    // for text.
    let name = table.name.quotedIdentifier
    let columns = table.shape.columns.map { "\(name).\($0.quotedIdentifier)" }
    return try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(name) WHERE \(table.keyCondition)",
      persistent: true)
  }

  private func makeUpdateSparingKey(_ columns: [Int]) throws -> Statement? {
    try makeUpdate(columns.filter { !isKey[$0] })
  }

  /// Binds cells.
  ///
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

  /// Takes the row with the key of `cells` out of the table until the batch is complete.
  private func takeOut(
    _ cells: UnsafeMutableBufferPointer<ValueView>, conditional: [(column: Int, view: ValueView)],
    sparingKey: Bool = false
  ) throws {
    let identity = RowIdentity(table: number, key: try key(of: cells))
    let shown = try reader.row(keyValues(cells), in: connection)
    // SQLite, not this code, computes the defaults of unspecified columns.
    var row =
      try shown.map { table.row($0, with: try exceptions.hiddenCells(identity)) }
      ?? DefaultRow.values(of: table, connection)
    if shown != nil {
      for cell in conditional { row[cell.column] = cell.view.value ?? row[cell.column] }
      _ = try delete(cells, isComingBack: true)
    }
    for column in cells.indices where !(sparingKey && isKey[column]) {
      row[column] = cells[column].value ?? row[column]
    }
    exceptions.setAway(
      identity, Resolver.Lifted(row: row, shown: shown, isWritten: true))
  }
}
