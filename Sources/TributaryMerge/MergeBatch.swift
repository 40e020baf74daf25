import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Changes that are applied together after computing the net effect for each row.
///
/// New changes come in order of stamp. Then the caller adds what the store already has and what the
/// authors of the new changes did not know; only changes of rows in the batch count. `apply`
/// writes, and `finish` applies the constraints.
public final class MergeBatch {
  let connection: Connection
  public let schema: ReplicatedSchema
  let constraints: ConstraintSet
  let roots: KeyRoots
  private let selection: TableSelection
  let tables: [NumberedTable]
  /// Whether any table declares what makes rows the same.
  let isIdentified: Bool
  /// The new births of such tables, once they were requested.
  var equalBirths: EqualBirths?
  /// By table, as far as they were requested.
  var defaultRows: [Int: [Value]] = [:]
  let autoincrements: [Bool]
  private var mappingTable: MappingTable
  @exclusivity(unchecked) var mappings: [TableMapping] = []
  var appliers: [RowApplier?]
  var bulks: [Int: BulkInsertion] = [:]
  /// By table, as far as it was requested.
  var firesTriggers: [Int: Bool] = [:]
  /// The present bulk insertion.
  var bulk: BulkInsertion?
  let references: ReferenceCheck
  let exceptions: Exceptions

  // Each is accessed from one method at a time: checking that for every row costs more than the
  // row's key.
  @exclusivity(unchecked) var images = ByteBuffer(capacity: 1 << 20)
  @exclusivity(unchecked) var operations: [RowOperation] = []
  @exclusivity(unchecked) var index = RowKeyIndex()
  /// By row: the first and last of its operations.
  @exclusivity(unchecked) var rows: [(first: Int32, last: Int32, isOrdered: Bool)] = []
  @exclusivity(unchecked) var key = ByteBuffer()

  @exclusivity(unchecked) var transactions: [BatchTransaction] = []
  /// The stamp of the last one.
  @exclusivity(unchecked) private var stamp = Stamp(
    time: .zero, peer: PeerIdentity(high: 0, low: 0))

  /// The numbers that several rows were given, including those that this batch brings.
  public private(set) var registry = BirthRegistry()
  public private(set) var hasBirths = false
  /// Whether there are changes among the new ones that the store already has.
  private var hasMoved = false
  /// The row for which the last applied change sets nothing, and the change's author: the insert that it
  /// announces may come with the next part of a large transaction.
  private var announced: (by: Stamp, row: SharedNumber)?

  /// The earliest stamp among the new changes; `nil` if there are none.
  public private(set) var earliest: Stamp?

  /// What the authors of all new changes knew.
  public private(set) var floor: Knowledge?
  /// The number of the last transaction whose view is included there; -1 for none.
  @exclusivity(unchecked) private var reached = -1

  /// What has been applied since the last `takeChanges`, by table.
  @exclusivity(unchecked) var changes: [TableChanges]

  /// Makes a batch.
  ///
  /// - Parameter connection: a connection that applies rows as they are, with triggers and foreign
  ///   keys off.
  public convenience init(
    connection: Connection, schema: ReplicatedSchema, selection: TableSelection
  ) throws {
    let constraints = try ConstraintSet(connection, schema: schema)
    try self.init(
      connection, schema, selection, constraints, Exceptions(connection, constraints))
  }

  /// Makes a batch that takes turns with another: what one writes, the other knows.
  public convenience init(takingTurnsWith other: MergeBatch) throws {
    try self.init(
      other.connection, other.schema, other.selection, other.constraints, other.exceptions)
  }

  private init(
    _ connection: Connection, _ schema: ReplicatedSchema, _ selection: TableSelection,
    _ constraints: ConstraintSet, _ exceptions: Exceptions
  ) throws {
    self.connection = connection
    self.schema = schema
    self.selection = selection
    self.constraints = constraints
    self.exceptions = exceptions
    tables = constraints.numberedTables
    isIdentified = tables.contains(where: \.isIdentified)
    autoincrements = try Self.autoincrements(schema, connection)
    mappingTable = MappingTable(schema: schema, selection: selection)
    appliers = Array(repeating: nil, count: schema.tables.count)
    changes = Array(repeating: TableChanges(), count: schema.tables.count)
    roots = KeyRoots(constraints)
    references = ReferenceCheck(connection, constraints)
    try readBirths(adding: [])
  }

  /// Starts reading changes according to the births known to the store and the given ones.
  public func readBirths(adding births: [Birth]) throws {
    registry = BirthRegistry(try BirthTable(connection, schema: schema).all(), tables: tables)
    registry.add(births, tables: tables)
    hasBirths = !registry.isEmpty
  }

  /// Treats the births passed to `readBirths` as recorded.
  public func settleBirths() { registry.settle() }

  /// The number of new changes.
  public var count: Int { operations.count }

  /// The number of bytes held.
  public var byteCount: Int { images.count }

  /// Returns a number for a shape of a log; `nil` for a table that is left out here.
  ///
  /// - Throws: `MergeError.schema` if the table or a column does not exist here.
  public func mapping(for shape: TableShape) throws(MergeError) -> Int? {
    guard let mapping = try mappingTable.mapping(for: shape) else { return nil }
    if let number = mappings.firstIndex(where: { $0 === mapping }) { return number }
    mappings.append(mapping)
    return mappings.count - 1
  }

  /// Whether a transaction is the first of the new ones.
  public func isBringing(_ side: Conflict.Side) -> Bool {
    transactions.first.map { $0.side == side } ?? false
  }

  // MARK: Adding

  /// Starts a transaction, to which the following changes belong.
  ///
  /// - Parameter isNew: whether it is being imported; otherwise the store already has it.
  public func begin(_ transaction: BatchTransaction, isNew: Bool) {
    stamp = transaction.stamp
    transactions.append(transaction)
    if isNew { reach(transaction) }
  }

  private func reach(_ transaction: BatchTransaction) {
    earliest = min(earliest ?? transaction.stamp, transaction.stamp)
    let last = reached
    reached = transactions.count - 1
    guard let known = floor else {
      floor = transaction.view
      return
    }
    if last >= 0, transaction.continues(transactions[last]) { return }
    let view = transaction.view
    if !view.isSuperset(of: known) { floor = known.intersection(view) }
  }

  /// Adds a new change, copying its bytes.
  public func add(_ change: ChangeView, mapping: Int) throws {
    guard hasBirths else { return try addNew(change, mapping, logged: change) }
    try withMeaning(of: change, mapping) { try addNew($0, mapping, logged: change) }
  }

  /// Lends a change as its author meant it.
  private func withMeaning(
    of change: ChangeView, _ mapping: Int, _ body: (ChangeView) throws -> Void
  ) throws {
    guard hasBirths else { return try body(change) }
    try rereading.withMeaning(of: change, mappings[mapping], by: author, body)
  }

  private func addNew(
    _ change: ChangeView, _ mapping: Int, logged: ChangeView, position: Int32 = 0
  ) throws {
    try encodeKey(change, mapping)
    let row = index.insert(key.bytes, table: mappings[mapping].tableNumber)
    if row.isNew { rows.append((-1, -1, true)) }
    append(change, mapping, row.number, stamp, isNew: true, logged: logged, position: position)
  }

  /// Adds a change that the store already has, if its row is in the batch.
  ///
  /// - Parameter position: its place among the changes of its transaction.
  public func addExisting(_ change: ChangeView, mapping: Int, position: Int32) throws {
    if isIdentified { try noteEqual(change, mappings[mapping], by: author) }
    try withMeaning(of: change, mapping) { meant in
      try encodeKey(meant, mapping)
      let table = mappings[mapping].tableNumber
      guard let row = index.number(of: key.bytes, table: table),
        !hasMoved || !isNew(change, in: row)
      else { return }
      append(meant, mapping, row, stamp, isNew: false, logged: change, position: position)
    }
  }

  /// Whether a change of the row by the present transaction is new: it was moved there. The transaction may also
  /// have changed the row under another number.
  private func isNew(_ change: ChangeView, in row: Int) -> Bool {
    var number = rows[row].first
    while number >= 0 {
      let operation = operations[Int(number)]
      if operation.isNew, operation.stamp == stamp, operation.operation == change.operation,
        image(at: operation.loggedStart, count: operation.loggedCount).elementsEqual(change.image)
      {
        return true
      }
      number = operation.next
    }
    return false
  }

  private var rereading: Rereading { Rereading(roots: roots, registry: registry) }

  private var author: BatchTransaction { transactions[transactions.count - 1] }

  private func encodeKey(_ change: ChangeView, _ mapping: Int) throws(LogError) {
    key.removeAll()
    try mappings[mapping].encodeKey(change.operation, image: change.image, into: &key)
  }

  private func append(
    _ change: ChangeView, _ mapping: Int, _ row: Int, _ stamp: Stamp, isNew: Bool,
    logged: ChangeView? = nil, position: Int32 = 0, takesAway: Bool = false
  ) {
    let number = Int32(operations.count)
    let start = images.count
    images.append(change.image)
    var loggedStart = start
    let loggedCount = logged?.image.count ?? change.image.count
    if let logged, logged.image.baseAddress != change.image.baseAddress {
      loggedStart = images.count
      images.append(logged.image)
    }
    let takesOver =
      change.operation == .insert && takesOver(image(at: loggedStart, count: loggedCount), mapping)
    operations.append(
      RowOperation(
        stamp: stamp, operation: change.operation, mapping: UInt32(mapping),
        transaction: takesAway ? -1 : Int32(transactions.count - 1), position: position,
        start: start, count: change.image.count, loggedStart: loggedStart, loggedCount: loggedCount,
        isNew: isNew, takesOver: takesOver, next: -1))
    if rows[row].first < 0 {
      rows[row].first = number
    } else {
      let last = Int(rows[row].last)
      operations[last].next = number
      if operations[Int(number)].precedes(operations[last]) { rows[row].isOrdered = false }
    }
    rows[row].last = number
  }

  /// Whether the previous change announces that an insert takes the number of a held row.
  @inline(__always)
  private func takesOver(_ insert: UnsafeRawBufferPointer, _ mapping: Int) -> Bool {
    if operations.last.map({ $0.operation == .insert || $0.operation == .replace }) ?? false {
      return false
    }
    return wasAnnounced(insert, mapping)
  }

  private func wasAnnounced(_ insert: UnsafeRawBufferPointer, _ mapping: Int) -> Bool {
    guard let announced = announcement,
      announced.by == stamp, announced.row.table == Int(mappings[mapping].tableNumber)
    else { return false }
    // What cannot be read here cannot be read elsewhere either, and is reported there. A row that
    // cannot be read is refused where it is added.
    return (try? mappings[mapping].rowNumber(insert)) == announced.row.number
  }

  /// The announcement of the last change, if it is an update that sets nothing.
  private var announcement: (by: Stamp, row: SharedNumber)? {
    guard let last = operations.last(where: { $0.transaction >= 0 }) else { return announced }
    let mapping = mappings[Int(last.mapping)]
    guard last.operation == .update, roots.generates[Int(mapping.tableNumber)],
      // What cannot be read is not an announcement; it is reported elsewhere.
      let number = try? mapping.rowNumberOfEmptyUpdate(
        image(at: last.loggedStart, count: last.loggedCount))
    else { return nil }
    return (last.stamp, SharedNumber(table: Int(mapping.tableNumber), number: number))
  }

  /// The earliest deletion among the changes that the store already has.
  public var earliestExistingDeletion: Stamp? {
    var earliest: Stamp?
    for operation in operations where !operation.isNew && operation.operation == .delete {
      earliest = min(earliest ?? operation.stamp, operation.stamp)
    }
    return earliest
  }

  // MARK: Numbers given twice

  /// The births of the store that lose or regain their number through those of this batch.
  public var movedBirths: [Birth] { registry.moved }

  /// Whether any transaction may refer to a row that loses or regains its number.
  public func movesUnknownRows() throws -> Bool {
    try registry.movesFirstHolders
      || NumberTraces(connection: connection, constraints: constraints).exist(
        of: registry.shiftedNumbers)
  }

  /// Whether a row leaves a key that others may have had before it: what stays there, a row or a conflict that
  /// the row had answered, may be older than everything that moves.
  public private(set) var mayLeaveOlderRows = false

  /// Adds a change that the store already has, if it now means another row.
  ///
  /// - Parameter position: its place among the changes of its transaction.
  public func addMoved(_ change: ChangeView, mapping: Int, position: Int32) throws {
    let table = mappings[mapping]
    let old = try Rereading(roots: roots, registry: registry, formerly: true)
      .image(of: change, table, by: author)
    let new = try rereading.image(of: change, table, by: author)
    let oldBytes = old ?? Array(change.image)
    let newBytes = new ?? Array(change.image)
    if oldBytes == newBytes { return }
    hasMoved = true
    reach(author)
    try newBytes.withUnsafeBytes { bytes in
      try addNew(
        ChangeView(operation: change.operation, shapeID: change.shapeID, image: bytes), mapping,
        logged: change, position: position)
    }
    let moved = Array(key.bytes)
    try oldBytes.withUnsafeBytes { bytes in
      let change = ChangeView(
        operation: change.operation, shapeID: change.shapeID, image: bytes)
      try encodeKey(change, mapping)
      guard Array(key.bytes) != moved else { return }
      try takeAway(change, mapping)
    }
  }

  /// Records that the row leaves that key, where only other changes of the key stay.
  private func takeAway(_ change: ChangeView, _ mapping: Int) throws {
    let row = index.insert(key.bytes, table: mappings[mapping].tableNumber)
    if row.isNew { rows.append((-1, -1, true)) }
    let table = Int(mappings[mapping].tableNumber)
    // An earlier birth comes to the key of one that it displaces. A row that is the same as another takes that
    // one's number, and nothing need have come to its own; nor to a key that contains a number.
    if !roots.generates[table] || tables[table].isIdentified { mayLeaveOlderRows = true }
    var number = rows[row.number].first
    while number >= 0 {
      if operations[Int(number)].transaction < 0 { return }
      number = operations[Int(number)].next
    }
    var image = ByteBuffer()
    var cursor = change.values
    var cells: [ValueView] = []
    if change.operation == .delete {
      for _ in mappings[mapping].sourceKeys { cells.append(try cursor.next()) }
      for cell in cells { image.append(cell) }
    } else {
      for _ in 0..<mappings[mapping].sourceColumnCount { cells.append(try cursor.next()) }
      for source in mappings[mapping].sourceKeys { image.append(cells[source]) }
    }
    append(
      ChangeView(operation: .delete, shapeID: change.shapeID, image: image.bytes), mapping,
      row.number, Stamp(time: .zero, peer: PeerIdentity(high: 0, low: 0)), isNew: true,
      takesAway: true)
  }

  func image(_ operation: RowOperation) -> UnsafeRawBufferPointer {
    image(at: operation.start, count: operation.count)
  }

  func image(at start: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: images.bytes[start..<start + count])
  }

  /// Empties the batch.
  func removeAll() {
    announced = announcement
    images.removeAll()
    operations.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    index.removeAll()
    transactions.removeAll(keepingCapacity: true)
    earliest = nil
    floor = nil
    reached = -1
    hasMoved = false
    mayLeaveOlderRows = false
    equalBirths = nil
  }
}
