import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The definition of the merge, executed literally: transactions in ascending order of stamp, change by
/// change, in a scratch database. It is slow and obvious, and stores are compared with it.
package final class MergeDefinition {
  let scratch: Connection
  let schema: ReplicatedSchema
  private let selection: TableSelection
  let store: Connection
  /// By table and key, rows that are held, and what rows refer to that show other values.
  let held: [[[UInt8]: [Value]]]
  let hidden: [[[UInt8]: [Conflict.Cell]]]
  let constraints: ConstraintSet
  private let rereading: Rereading
  private var mappingTable: MappingTable
  /// The current transaction, and the number of its changes so far.
  private var transaction: (author: BatchTransaction, count: Int32)?
  /// The counters that migrations have changed.
  private var counted: Set<CountedCell> = []
  /// The inserts of the current transaction, where numbers may mean other rows.
  private var inserts: [RowIdentity: ChangeOrder] = [:]
  /// For each row, what migrations that run once have inserted.
  private var migrated: [RowIdentity: [(mark: String, values: [Value?])]] = [:]
  /// The author of each cell, if authors are recorded.
  let authors: CellAuthors?

  /// Makes the definition.
  ///
  /// - Parameter store: the store to examine; it is only read.
  /// - Parameter recordsAuthors: whether to record the author of each cell for `forEachRow`.
  package init(
    of store: Connection, selection: TableSelection, recordsAuthors: Bool = false
  ) throws {
    let schema = try ReplicatedSchema(store, selection: selection)
    self.store = store
    let table = HeldTable(store, schema: schema)
    held = try schema.tables.indices.map(table.heldRows)
    hidden = try schema.tables.indices.map(table.hiddenCells)
    constraints = try ConstraintSet(store, schema: schema)
    rereading = Rereading(
      roots: KeyRoots(constraints),
      registry: NumberingRegistry(
        try NumberingTable(store, schema: schema).all(), tables: constraints.numberedTables))
    mappingTable = MappingTable(
      schema: schema, selection: selection, names: schema.names)
    // Without a name, it is a temporary file that disappears by itself.
    scratch = try Connection(path: "", mode: .create)
    self.schema = schema
    self.selection = selection
    try scratch.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
    authors = recordsAuthors ? try CellAuthors(scratch) : nil
    for table in schema.tables where table.refusal == nil {
      // There are no types, so that nothing is converted, and no constraint but the key.
      let columns = table.shape.columns.map(\.quotedIdentifier)
      try scratch.execute(
        """
        CREATE TABLE \(table.name.quotedIdentifier) (
          \(columns.joined(separator: ", ")),
          PRIMARY KEY (\(keyTerms(table).joined(separator: ", ")))
        )
        """)
    }
  }

  /// Whether the store holds a row.
  ///
  /// - Parameter key: the key, in the order of its columns.
  package func isHeld(_ key: [Value], _ table: TableDescription) throws -> Bool {
    guard let number = schema.tableNumber(named: table.name)
    else { return false }
    return try held[number][table.identity(key: key, number: number).key] != nil
  }

  /// Returns a row as the changes so far have left it; `nil` if it does not live.
  ///
  /// - Parameter key: the key, in the order of its columns.
  package func row(_ key: [Value], of table: TableDescription) throws -> [Value]? {
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try scratch.cached(
      "SELECT \(columns) FROM \(table.name.quotedIdentifier) WHERE \(condition(table))")
    defer { statement.reset() }
    try statement.bind(key)
    return try statement.step() ? statement.values : nil
  }

  func keyTerms(_ table: TableDescription) -> [String] {
    table.shape.keys.map { key in
      "\(table.shape.columns[key.column].quotedIdentifier) COLLATE \(key.collation.sqlName)"
    }
  }

  /// Starts the next transaction, to which the following changes belong.
  package func begin(_ author: BatchTransaction) {
    transaction = (author, 0)
    if !inserts.isEmpty { inserts.removeAll() }
    authors?.begin(author)
  }

  /// Applies the next change of the transaction.
  ///
  /// - Parameter isWanted: selects the rows of interest, by table and key.
  /// - Throws: `MergeError` with the code `schema` for tables and columns that the store does not have.
  package func apply(
    _ change: ChangeView, shape: TableShape,
    isWanted: (TableDescription, [Value]) -> Bool = { _, _ in true }
  ) throws {
    guard let (author, place) = transaction else { preconditionFailure("no transaction has begun") }
    transaction?.count += 1
    guard let mapping = try mappingTable.mapping(for: shape) else { return }
    try rereading.withMeaning(of: change, mapping, by: author) { change in
      let order = ChangeOrder(stamp: author.stamp, operation: change.operation, place: place)
      if try !isOvertaken(change, mapping, order) {
        try apply(change, shape, mapping, isWanted)
      }
    }
  }

  /// Whether the transaction has already inserted the same row, under another number, by a change that
  /// applies after this one and sets everything that this one can set.
  private func isOvertaken(
    _ change: ChangeView, _ mapping: TableMapping, _ order: ChangeOrder
  ) throws -> Bool {
    if rereading.registry.isEmpty || rereading.roots.columns[Int(mapping.tableNumber)].isEmpty {
      return false
    }
    let row = try mapping.identity(of: change)
    if let insert = inserts[row], order < insert { return true }
    if change.operation.putsRow { inserts[row] = order }
    return false
  }

  private func apply(
    _ change: ChangeView, _ shape: TableShape, _ mapping: TableMapping,
    _ isWanted: (TableDescription, [Value]) -> Bool
  ) throws {
    let table = mapping.table
    let key = try shape.key(change.operation, image: change.image)
    guard isWanted(table, key) else { return }
    switch change.operation {
    case .delete: try delete(key, table)
    case .insert where try isRepeated(change, mapping): break
    case .insert, .replace:
      if try !lives(key, table) { try insertDefaults(key, table) }
      try set(change, mapping, key)
    case .update:
      if try lives(key, table) { try set(change, mapping, key, sparingKey: true) }
    }
  }

  private func condition(_ table: TableDescription) -> String {
    keyTerms(table).map { "\($0) = ?" }.joined(separator: " AND ")
  }

  private func lives(_ key: [Value], _ table: TableDescription) throws -> Bool {
    let statement = try scratch.cached(
      "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(condition(table))")
    defer { statement.reset() }
    try statement.bind(key)
    return try statement.step()
  }

  private func delete(_ key: [Value], _ table: TableDescription) throws {
    let statement = try scratch.cached(
      "DELETE FROM \(table.name.quotedIdentifier) WHERE \(condition(table))")
    try statement.bind(key)
    try statement.run()
    try authors?.forget(key, of: table)
  }

  private func insertDefaults(_ key: [Value], _ table: TableDescription) throws {
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = table.shape.columns.map { _ in "?" }.joined(separator: ", ")
    var row = try defaults(table)
    for (place, part) in table.shape.keys.enumerated() { row[part.column] = key[place] }
    let statement = try scratch.cached(
      "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))")
    try statement.bind(row)
    try statement.run()
  }

  private var knownDefaults: [SQLName: [Value]] = [:]

  private func defaults(_ table: TableDescription) throws -> [Value] {
    if let known = knownDefaults[SQLName(table.name)] { return known }
    let values = try DefaultRow.values(of: table, scratch)
    knownDefaults[SQLName(table.name)] = values
    return values
  }

  private func set(
    _ change: ChangeView, _ mapping: TableMapping, _ key: [Value], sparingKey: Bool = false
  ) throws {
    let table = mapping.table
    var cursor = ImageCursor(change.image)
    var columns: [Int] = []
    var values: [Value] = []
    for column in mapping.columns {
      guard var value = try cursor.next().value, column >= 0 else { continue }
      if sparingKey, mapping.isKey[column] { continue }
      if sparingKey, try !counts(column, key, mapping) { continue }
      if sparingKey, !table.policies[column].takesLatest {
        value = table.policies[column].merged(
          value, into: try present(table.shape.columns[column].quotedIdentifier, key, table))
      }
      columns.append(column)
      values.append(value)
    }
    try authors?.mark(columns, of: key, in: table)
    let terms = columns.map { "\(table.shape.columns[$0].quotedIdentifier) = ?" }
    guard !terms.isEmpty else { return }
    let statement = try scratch.cached(
      """
      UPDATE \(table.name.quotedIdentifier) SET \(terms.joined(separator: ", "))
      WHERE \(condition(table))
      """)
    try statement.bind(values + key)
    try statement.run()
  }

  /// Whether a migration inserts what it has already inserted on another device.
  private func isRepeated(_ change: ChangeView, _ mapping: TableMapping) throws -> Bool {
    guard let mark = transaction?.author.mark else { return false }
    let cells = try mapping.cells(.insert, change.image)
    let values = cells.indices.map { mapping.isKey[$0] ? nil : cells[$0].value }
    let row = try mapping.identity(of: change)
    let isRepeat = migrated[row, default: []].contains { earlier in
      earlier.mark == mark
        && zip(earlier.values, values).allSatisfy { $0.hasSameBits(as: $1) }
    }
    if !isRepeat { migrated[row, default: []].append((mark, values)) }
    return isRepeat
  }

  private struct CountedCell: Hashable {
    var mark: String
    var row: RowIdentity
    var column: Int
  }

  /// Whether an update counts. A migration that several devices have run counts only once for a counter.
  private func counts(_ column: Int, _ key: [Value], _ mapping: TableMapping) throws -> Bool {
    guard let mark = transaction?.author.mark, mapping.table.policies[column] == .counter
    else { return true }
    let row = try mapping.table.identity(key: key, number: Int(mapping.tableNumber))
    return counted.insert(CountedCell(mark: mark, row: row, column: column)).inserted
  }

  private func present(
    _ column: String, _ key: [Value], _ table: TableDescription
  ) throws -> Value {
    let statement = try scratch.cached(
      "SELECT \(column) FROM \(table.name.quotedIdentifier) WHERE \(condition(table))")
    defer { statement.reset() }
    try statement.bind(key)
    return try statement.step() ? statement.value(0) : .null
  }
}
