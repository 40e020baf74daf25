import Synchronization
import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Changes that are applied together, after the net effect on each row has been computed.
///
/// New changes come in order of stamp. Then the caller adds the changes that the store already has and that
/// the authors of the new changes did not know; only changes of rows in the batch count. `apply` writes, and
/// `finish` applies the constraints.
package final class MergeBatch {
  let connection: Connection
  private let isUTF8: Bool
  package let schema: ReplicatedSchema
  let constraints: ConstraintSet
  let roots: KeyRoots
  private let selection: TableSelection
  let tables: [NumberedTable]
  /// Whether any table declares what makes rows the same.
  let isIdentified: Bool
  let autoincrements: [Bool]
  let migrations: Migrations
  private var mappingTable: MappingTable
  @exclusivity(unchecked) var mappings: [TableMapping] = []
  let numberings: NumberingReader
  /// The new numberings of tables that declare what makes rows the same; set once they are requested.
  var equalNumberings: EqualNumberings?
  let appliers: TableAppliers
  /// The current bulk insertion.
  var bulk: BulkInsertion?
  let applied: AppliedChanges
  let exceptions: Exceptions

  // Each of these is accessed from one method at a time; checking that for every row would cost more than the
  // row's key.
  @exclusivity(unchecked) var rows = BatchRows()
  @exclusivity(unchecked) var key = ByteBuffer()
  /// The transactions to which the changes belong.
  @exclusivity(unchecked) var transactions: [BatchTransaction] = []
  /// The stamp of the last transaction, which is the current one.
  @exclusivity(unchecked) var stamp = Stamp(time: .zero, peer: PeerIdentity(high: 0, low: 0))
  /// The number of changes of the current transaction that have been added or skipped.
  @exclusivity(unchecked) private var place: Int32 = 0

  /// The numbers that several rows were given, including those that this batch brings.
  package private(set) var registry = NumberingRegistry()
  package private(set) var hasNumberings = false
  /// Whether any transaction has rows of a migration that runs once.
  var hasMarks = false
  /// Whether the new changes include some that the store already has.
  var hasMoved = false
  /// The conflicts that have moved to rows together with their numbers, by identifier.
  var arrivedConflicts: Set<Conflict.ID> = []
  /// The takeover that the last applied change announces; its insert may come with the next part of a large
  /// transaction.
  var lastAnnouncement: TakeoverAnnouncement?

  /// How far the new changes reach back into the logs.
  @exclusivity(unchecked) package private(set) var reach = BatchReach()
  /// Whether a row leaves a key that other rows may have had before it. What stays there, whether a row or a
  /// conflict that the row had answered, may be older than everything that moves.
  package internal(set) var mayLeaveOlderRows = false

  /// The transactions that have rows of migrations that run once. The batch that takes turns with this one
  /// shares it, and so knows what this one learns.
  final class Migrations: Sendable {
    private let written: Mutex<WrittenMigrations>

    init(_ all: WrittenMigrations) { written = Mutex(all) }

    var all: WrittenMigrations { written.withLock { $0 } }

    func add(_ mark: String, by side: Conflict.Side) {
      written.withLock { $0.add(mark, by: side.peer, side.sequence) }
    }
  }

  /// Makes a batch.
  ///
  /// - Parameter connection: a connection that applies rows as they are, with triggers and foreign
  ///   keys off.
  package convenience init(
    connection: Connection, schema: ReplicatedSchema, selection: TableSelection
  ) throws {
    let constraints = try ConstraintSet(connection, schema: schema)
    try self.init(
      connection, schema, selection, constraints, Exceptions(connection, constraints),
      Migrations(schema.written))
  }

  /// Makes a batch that takes turns with another one: each knows what the other writes.
  package convenience init(takingTurnsWith other: MergeBatch) throws {
    try self.init(
      other.connection, other.schema, other.selection, other.constraints, other.exceptions,
      other.migrations)
  }

  private init(
    _ connection: Connection, _ schema: ReplicatedSchema, _ selection: TableSelection,
    _ constraints: ConstraintSet, _ exceptions: Exceptions, _ migrations: Migrations
  ) throws {
    self.migrations = migrations
    self.connection = connection
    self.schema = schema
    self.selection = selection
    self.constraints = constraints
    self.exceptions = exceptions
    tables = constraints.numberedTables
    isIdentified = tables.contains(where: \.isIdentified)
    autoincrements = try Self.autoincrements(schema, connection)
    mappingTable = MappingTable(schema: schema, selection: selection, names: schema.names)
    roots = KeyRoots(constraints)
    numberings = NumberingReader(schema, roots, connection)
    appliers = TableAppliers(connection, constraints, exceptions)
    applied = AppliedChanges(connection, constraints, exceptions)
    isUTF8 = try connection.isUTF8()
    try readNumberings(adding: [])
  }

  /// Starts reading changes according to the numberings known to the store and the given ones.
  package func readNumberings(adding numberings: [Numbering]) throws {
    registry = NumberingRegistry(
      try NumberingTable(connection, schema: schema).all(), tables: tables)
    registry.add(numberings, tables: tables)
    hasNumberings = !registry.isEmpty
  }

  /// Treats the numberings passed to `readNumberings` as recorded. Must be called before rows are written.
  package func settleNumberings() throws {
    try moveSettledConflicts()
    registry.settle()
  }

  /// The number of changes.
  package var count: Int { rows.operations.count }

  /// The number of bytes held.
  package var byteCount: Int { rows.byteCount }

  /// Returns a number for a shape of a log; `nil` for a table that is left out here.
  ///
  /// - Throws: `MergeError` with the code `schema` if the table or a column does not exist here.
  package func mapping(for shape: TableShape) throws(MergeError) -> Int? {
    guard let mapping = try mappingTable.mapping(for: shape) else { return nil }
    if let number = mappings.firstIndex(where: { $0 === mapping }) { return number }
    mappings.append(mapping)
    return mappings.count - 1
  }

  /// Returns the local table to which a mapping leads.
  package func table(of mapping: Int) -> TableDescription { mappings[mapping].table }

  /// Returns the row to which a change refers, by its current number.
  ///
  /// - Parameter mapping: the number of the mapping for its shape.
  package func row(
    of change: ChangeView, mapping: Int, by author: BatchTransaction
  ) throws -> RowIdentity {
    let mapping = mappings[mapping]
    return try Rereading(roots: roots, registry: registry)
      .withMeaning(of: change, mapping, by: author) { try mapping.identity(of: $0) }
  }

  // MARK: Adding

  /// Starts a transaction, to which the following changes belong.
  ///
  /// - Parameter isNew: whether it is being imported; otherwise the store already has it.
  package func begin(_ transaction: BatchTransaction, isNew: Bool) {
    stamp = transaction.stamp
    place = 0
    transactions.append(transaction)
    if let mark = transaction.mark {
      hasMarks = true
      migrations.add(mark, by: transaction.side)
    }
    if isNew { reach.include(transaction) }
  }

  /// The current transaction.
  var author: BatchTransaction { transactions[transactions.count - 1] }

  /// Whether a transaction is the first of the new ones.
  package func isBringing(_ side: Conflict.Side) -> Bool {
    transactions.first.map { $0.side == side } ?? false
  }

  /// Adds a new change, copying its bytes.
  package func add(_ change: ChangeView, mapping: Int) throws {
    place += 1
    if !isUTF8 { try checkTexts(of: change, mappings[mapping]) }
    guard hasNumberings else { return try addNew(change, mapping, logged: change) }
    try withMeaning(of: change, mapping) { try addNew($0, mapping, logged: change) }
  }

  /// Checks that a database in UTF-16 can store the texts of a change. SQLite would replace invalid text.
  private func checkTexts(of change: ChangeView, _ mapping: TableMapping) throws {
    var found: Int?
    try mapping.forEachCell(change.operation, change.image) { column, view in
      guard case .text(let bytes)? = view.value else { return }
      if String(validating: bytes, as: UTF8.self) == nil { found = column }
    }
    guard let found else { return }
    let table = mapping.table
    throw MergeError(
      .constraint,
      "column \(table.shape.columns[found]) of table \(table.name) would get a text that is not valid UTF-8, and this "
        + "database, whose encoding is UTF-16, cannot store that",
      remedy:
        "correct the text on the device that wrote it, or publish everything, move this database aside and attach again, "
        + "which makes one in UTF-8")
  }

  /// Checks that a table keeps the key of an arriving change unchanged. Changes that the store already has
  /// stay as they are.
  ///
  /// - Throws: `MergeError` with the code `constraint`.
  package func checkKey(of change: ChangeView, mapping: Int) throws {
    try mappings[mapping].checkKey(of: change)
  }

  private func addNew(_ change: ChangeView, _ mapping: Int, logged: ChangeView) throws {
    append(change, mapping, to: try insertRow(of: change, mapping), isNew: true, logged: logged)
  }

  /// Adds a change that the store already has, if its row is in the batch.
  package func addExisting(_ change: ChangeView, mapping: Int) throws {
    place += 1
    if isIdentified || author.mark != nil { try noteEqual(change, mappings[mapping], by: author) }
    try withMeaning(of: change, mapping) { meant in
      try encodeKey(meant, mapping)
      guard let row = rows.row(key.bytes, table: mappings[mapping].tableNumber),
        !hasMoved || !isNew(change, in: row)
      else { return }
      append(meant, mapping, to: row, isNew: false, logged: change)
    }
  }

  /// Adds a change that the store already has, if it now means another row.
  package func addMoved(_ change: ChangeView, mapping: Int) throws {
    place += 1
    let author = author
    let now = try Rereading(roots: roots, registry: registry)
      .image(of: change, mappings[mapping], by: author)
    let before = try Rereading(roots: roots, registry: registry, formerly: true)
      .image(of: change, mappings[mapping], by: author)
    if now ?? Array(change.image) == before ?? Array(change.image) { return }
    hasMoved = true
    reach.include(author)
    try change.withImage(now) { try addNew($0, mapping, logged: change) }
    let moved = Array(key.bytes)
    try change.withImage(before) { change in
      try encodeKey(change, mapping)
      if !key.bytes.elementsEqual(moved) { try takeAway(change, mapping) }
    }
  }

  /// Lends a change with the meaning that its author intended.
  private func withMeaning(
    of change: ChangeView, _ mapping: Int, _ body: (ChangeView) throws -> Void
  ) throws {
    guard hasNumberings else { return try body(change) }
    try Rereading(roots: roots, registry: registry)
      .withMeaning(of: change, mappings[mapping], by: author, body)
  }

  private func encodeKey(_ change: ChangeView, _ mapping: Int) throws(LogError) {
    key.removeAll()
    try mappings[mapping].encodeKey(change.operation, image: change.image, into: &key)
  }

  private func insertRow(of change: ChangeView, _ mapping: Int) throws(LogError) -> Int {
    try encodeKey(change, mapping)
    return rows.insert(key.bytes, table: mappings[mapping].tableNumber)
  }

  private func append(
    _ change: ChangeView, _ mapping: Int, to row: Int, isNew: Bool, logged: ChangeView
  ) {
    rows.append(
      RowOperation(
        stamp: stamp, operation: change.operation, mapping: UInt32(mapping),
        transaction: Int32(transactions.count - 1), place: place, isNew: isNew,
        takesOver: change.operation == .insert && takesOver(logged.image, mapping)),
      to: row, image: change.image, logged: logged.image)
  }

  /// Whether a change of the row by the current transaction is new because it was moved there. The
  /// transaction may also have changed the row under another number.
  private func isNew(_ change: ChangeView, in row: Int) -> Bool {
    rows.operations(of: row).contains {
      $0.isNew && $0.stamp == stamp && $0.operation == change.operation
        && rows.bytes($0.logged).elementsEqual(change.image)
    }
  }

  /// The earliest deletion among the changes that the store already has.
  package var earliestExistingDeletion: Stamp? {
    rows.operations.lazy.filter { !$0.isNew && $0.operation == .delete }.map(\.stamp).min()
  }

  /// Records that a row leaves its key, which is in `key`: only other changes of that key stay there.
  private func takeAway(_ change: ChangeView, _ mapping: Int) throws {
    let row = rows.insert(key.bytes, table: mappings[mapping].tableNumber)
    let table = rows.table(row)
    // An earlier numbering moves to the key of one that it displaces. But a row that is the same as another
    // takes that row's number, and nothing may move to its own key; the same holds for a key that contains a
    // number.
    if !roots.generates[table] || registry.identifies { mayLeaveOlderRows = true }
    if rows.operations(of: row).contains(where: \.takesAway) { return }
    let cells = try mappings[mapping].cells(change.operation, change.image)
    var image = ByteBuffer()
    for part in schema.tables[table].shape.keys { image.append(cells[part.column]) }
    rows.append(
      RowOperation(
        stamp: Stamp(time: .zero, peer: PeerIdentity(high: 0, low: 0)), operation: .delete,
        mapping: UInt32(mapping), transaction: -1, place: 0, isNew: true),
      to: row, image: image.bytes, logged: image.bytes)
  }

  // MARK: Numbers given twice

  /// The numberings of the store that lose or regain their number through those of this batch.
  package var movedNumberings: [Numbering] { registry.moved }

  /// Whether any transaction may refer to a row that loses or regains its number.
  package func movesUnknownRows() throws -> Bool {
    try registry.movesFirstHolders
      || NumberTraces(connection: connection, constraints: constraints).exist(
        of: registry.shiftedNumbers)
  }

  /// Empties the batch.
  func removeAll() {
    lastAnnouncement = announcement
    rows.removeAll()
    transactions.removeAll(keepingCapacity: true)
    reach = BatchReach()
    hasMoved = false
    hasMarks = false
    mayLeaveOlderRows = false
    equalNumberings = nil
    arrivedConflicts.removeAll()
  }
}
