import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// The one connection through which the application writes: captures, numbers and stamps its
/// commits.
final class WriterConnection {
  let connection: Connection
  let capture: UnsafeMutablePointer<CaptureState>
  private let milliseconds: @Sendable () -> UInt64
  private let randomness: @Sendable () -> UInt64
  /// Sees the last commit while a transaction is open; opened when first needed.
  private var before: Connection?

  private(set) var schema: ReplicatedSchema
  private var selection: TableSelection
  private var registry: ShapeRegistry
  private var shapeNumbers: [SQLName: UInt32] = [:]
  private var schemaNumber: UInt32 = 0
  private var schemaVersion: Int64?

  private var peer: PeerIdentity
  /// Read when first needed, and when the schema has changed.
  private var constraints: ConstraintSet?
  private var looseParents: LooseParents?
  /// Whether some rows are held, or show something else than they refer to.
  private var hasHeldRows = false { didSet { concern = nil } }
  /// Read when first needed.
  private var concern: CommitConcern?
  private var concernsHeldRows = false
  /// How much of `net` is not said of held rows that were moved.
  private var ownByteCount = 0

  private var sequence = SequenceNumber.zero
  private var clock = HybridClock()
  /// The file as this connection left it; another number means that someone else has written.
  private var seenVersion: UInt32?

  // What every transaction runs is held, not looked up by its text.
  private let beginStatement: Statement
  private let commitStatement: Statement
  private let insertion: Statement

  /// The tables as they were before the open transaction changed them; `nil` when it did not.
  private var schemaBefore: ReplicatedSchema?
  private var departures = SchemaDepartures()

  /// What the open transaction says of rows that it need not change.
  var settlements: [Settlement] = []
  /// Those that the open transaction has, the outermost first.
  private(set) var savepoints:
    [(
      name: SQLName, changes: Int, count: Int, settlements: Int, refusals: Int, departures: Int
    )] = []
  private var net = ByteBuffer()
  private let tally = NetEffectTally()

  init(
    path: String, milliseconds: @escaping @Sendable () -> UInt64,
    randomness: @escaping @Sendable () -> UInt64
  ) throws {
    connection = try Connection(path: path, mode: .readWrite, classifies: true)
    self.milliseconds = milliseconds
    self.randomness = randomness
    try connection.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
      \(LocalStore.logSettings)
      """)
    selection = try TableSelection(connection)
    schema = try ReplicatedSchema(connection, selection: selection)
    registry = try ShapeRegistry(connection)
    peer = try Settings(connection).peer()
    beginStatement = try connection.prepare("BEGIN IMMEDIATE", persistent: true)
    commitStatement = try connection.prepare("COMMIT", persistent: true)
    insertion = try Outbox(connection).makeInsertion()
    capture = .allocate(capacity: 1)
    let encoding = try connection.prepare("PRAGMA encoding")
    _ = try encoding.step()
    capture.initialize(to: CaptureState(isUTF8: encoding.string(0) == "UTF-8"))
    PreupdateHook.install(on: connection, state: capture)
    connection.keepPromises(whileReading: false)
  }

  deinit {
    PreupdateHook.remove(from: connection)
    capture.deinitialize(count: 1)
    capture.deallocate()
  }

  // MARK: Transactions

  func begin() throws {
    try beginStatement.run()
    do {
      try refresh()
    } catch {
      rollBack()
      throw error
    }
    capture.pointee.reset()
    savepoints.removeAll(keepingCapacity: true)
    if !settlements.isEmpty { settlements.removeAll() }
    schemaBefore = nil
    departures.truncate(to: 0)
    capture.pointee.isActive = true
  }

  /// Commits, with a record of what changed.
  ///
  /// - Parameter basis: on which version the writes are based; `nil` for what is known now.
  /// - Returns: the sequence of the record; `nil` when nothing replicated changed.
  /// - Throws: the transaction is then rolled back.
  @discardableResult
  func commit(basis: Knowledge? = nil) throws -> SequenceNumber? {
    capture.pointee.isActive = false
    do {
      guard connection.isInTransaction else {
        throw StoreError(
          .misuse, "a statement has rolled the transaction back", path: connection.path,
          remedy: "write again")
      }
      try checkRefusals()
      try departures.check(
        hasLogs: {
          try sequence > .zero || !KnowledgeTable(connection).peers().isEmpty
        }, now: schema, path: connection.path)
      let recorded = try record(basis: basis)
      if try capture.pointee.mayMiscount || connection.hasForeignKeysOff || losesLooseParents() {
        try checkForeignKeys()
      }
      if concernsHeldRows, recorded != nil || schemaBefore != nil { try resolve() }
      try commitStatement.run()
      seenVersion = connection.dataVersion
      return recorded
    } catch {
      let named = named(error)
      rollBack()
      throw named
    }
  }

  func rollBack() {
    capture.pointee.isActive = false
    connection.rollBack()
    // Whatever was read or written down within the transaction may be gone.
    seenVersion = nil
    schemaVersion = nil
  }

  private func record(basis: Knowledge?) throws -> SequenceNumber? {
    ownByteCount = 0
    concernsHeldRows = try mayConcernHeldRows()
    if !settlements.isEmpty { return try recordWithSettlements(basis) }
    guard capture.pointee.count > 0 else { return nil }
    if concernsHeldRows { return try recordWithMoves(basis) }
    if capture.pointee.isPlainlyNet, capture.pointee.refusals.isEmpty {
      return try append(capture.pointee.changes.bytes, basis)
    }
    try computeNetEffect()
    return net.isEmpty ? nil : try append(net.bytes, basis)
  }

  private func recordWithSettlements(_ basis: Knowledge?) throws -> SequenceNumber? {
    try computeNetEffect()
    var whole = ByteBuffer()
    try SettlementWriter(
      schema: schema, registry: registry, now: connection, shapeNumbers: shapeNumbers
    ).add(settlements, to: net.bytes, into: &whole)
    swap(&net, &whole)
    ownByteCount = net.count
    return net.isEmpty ? nil : try append(net.bytes, basis)
  }

  private func mayConcernHeldRows() throws -> Bool {
    if !hasHeldRows || !settlements.isEmpty || schemaBefore != nil { return hasHeldRows }
    let known =
      try concern ?? CommitConcern(connection, constraintSet(), shapeNumbers: shapeNumbers)
    concern = known
    return try known.mayExist(in: capture.pointee.changes.bytes, layout: registry.layout)
  }

  /// New rows may have been given the numbers of held ones.
  private func recordWithMoves(_ basis: Knowledge?) throws -> SequenceNumber? {
    try computeNetEffect()
    if net.isEmpty { return nil }
    ownByteCount = net.count
    var moved = ByteBuffer()
    let time = try tick()
    let author = Conflict.Side(peer: peer, sequence: sequence.next, time: time)
    if try HeldRowMoves(
      connection: connection, constraints: constraintSet(), registry: registry,
      shapeNumbers: shapeNumbers, author: author
    ).append(to: net.bytes, &moved) {
      net.append(moved.bytes)
    }
    return try append(net.bytes, basis, at: time)
  }

  private func constraintSet() throws -> ConstraintSet {
    let known = try constraints ?? ConstraintSet(connection, schema: schema)
    constraints = known
    return known
  }

  private func lastCommit() throws -> Connection {
    let connection = try before ?? Connection(path: connection.path, mode: .readOnly)
    before = connection
    return connection
  }

  private func losesLooseParents() throws -> Bool {
    let known =
      try looseParents
      ?? LooseParents(connection, shapeNumbers: shapeNumbers, constraints: constraintSet)
    looseParents = known
    return try known.mayGo(in: capture.pointee.changes.bytes, layout: registry.layout)
  }

  func checkForeignKeys() throws {
    try ForeignKeyCheck(
      schema: schema, constraints: constraintSet(), registry: registry, before: lastCommit(),
      now: connection
    ).run(capture.pointee.changes.bytes)
  }

  private func computeNetEffect() throws {
    net.removeAll()
    try NetEffect(
      schema: schema, registry: registry, before: lastCommit(), now: connection,
      shapeNumbers: shapeNumbers, hasNullKeys: !capture.pointee.refusals.isEmpty, tally: tally
    ).compute(capture.pointee.changes.bytes, undone: capture.pointee.undone, into: &net)
  }

  private func append(
    _ changes: UnsafeRawBufferPointer, _ basis: Knowledge?, at time: HybridTime? = nil
  ) throws -> SequenceNumber {
    let record = Outbox.Record(
      sequence: sequence.next, time: try time ?? tick(), schema: schemaNumber, basis: basis)
    try Outbox(connection).append(
      record, changes: changes, pieces: try Outbox.pieces(of: changes, layout: registry.layout),
      insertion: insertion)
    sequence = record.sequence
    return record.sequence
  }

  private func tick() throws -> HybridTime {
    guard let time = clock.tick(milliseconds: milliseconds(), randomness: randomness()) else {
      throw StoreError(
        .clock, "no later time than the last one can be written", path: connection.path,
        remedy: "a peer with a broken clock has written: see `tributary status`")
    }
    return time
  }

  /// Sees to the rows that are held; to all of them where constraints may have come or gone.
  private func resolve() throws {
    let author = Conflict.Side(peer: peer, sequence: sequence, time: clock.last)
    try CommitResolution(
      connection: connection, schema: schema, constraints: constraintSet(), registry: registry,
      author: author, decidesAll: schemaBefore != nil,
      demanded: try settlements.demandedRows(schema)
    ).run(
      UnsafeRawBufferPointer(rebasing: net.bytes.prefix(ownByteCount)), milliseconds: milliseconds()
    )
    hasHeldRows = try !HeldTable.isEmpty(connection)
  }

  // MARK: Keeping up with other connections

  /// Reads what another connection may have changed since the last transaction.
  private func refresh() throws {
    guard connection.dataVersion != seenVersion else { return }
    let last = try Outbox(connection).last()
    sequence = last?.sequence ?? .zero
    try Outbox(connection).checkContinuity(endingWith: sequence)
    clock.observe(last?.time ?? .zero)
    clock.observe(try KnowledgeTable(connection).latestTime())
    peer = try Settings(connection).peer()
    hasHeldRows = try !HeldTable.isEmpty(connection)
    if try connection.integer("PRAGMA schema_version") != schemaVersion { try loadSchema() }
  }

  /// Reads the tables anew; needs an open transaction, since new shapes are written down.
  private func loadSchema() throws {
    schemaVersion = try connection.integer("PRAGMA schema_version")
    selection = try TableSelection(connection)
    schema = try ReplicatedSchema(connection, selection: selection)
    registry = try ShapeRegistry(connection)
    shapeNumbers.removeAll()
    constraints = nil
    looseParents = nil
    concern = nil
    var tables: [CaptureTable] = []
    for table in schema.tables {
      let number = table.refusal == nil ? try registry.number(of: table.shape) : 0
      shapeNumbers[SQLName(table.name)] = number
      tables.append(CaptureTable(table, shape: number))
    }
    capture.pointee.replaceTables(tables)
    schemaNumber = try SchemaNames(connection).number(of: schema.name)
  }

  // MARK: What statements do to the capture

  /// To be called before a statement runs, and the result handed to the calls after it.
  var mark: Mark {
    Mark(changes: capture.pointee.changes.count, refusals: capture.pointee.refusals.count)
  }

  /// How much was captured at a time.
  struct Mark {
    let changes: Int
    let refusals: Int
  }

  /// Takes back what a failed statement had captured.
  func statementFailed(since mark: Mark) {
    guard capture.pointee.isActive else { return }
    if connection.changes == 0 {
      capture.pointee.takeBackRefusals(after: mark.refusals)
    }
    guard capture.pointee.changes.count > mark.changes else { return }
    // Under OR FAIL the rows before the failure stay, and SQLite counts them.
    if connection.changes == 0 {
      capture.pointee.undone.append(mark.changes..<capture.pointee.changes.count)
    }
    for index in capture.pointee.tables.indices {
      capture.pointee.tables[index].isAscending = false
    }
  }

  /// Follows a statement that has run.
  func statementDidRun(_ kind: StatementKind) throws {
    switch kind {
    case .savepoint(let name):
      savepoints.append(
        (
          name, capture.pointee.changes.count, capture.pointee.count, settlements.count,
          capture.pointee.refusals.count, departures.count
        ))
    case .release(let name):
      if let index = savepoints.lastIndex(where: { $0.name == name }) {
        savepoints.removeSubrange(index...)
      }
    case .rollbackTo(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return }
      savepoints.removeSubrange((index + 1)...)
      let kept = savepoints[index]
      capture.pointee.changes.truncate(to: kept.changes)
      capture.pointee.count = kept.count
      settlements.removeLast(settlements.count - kept.settlements)
      capture.pointee.takeBackRefusals(after: kept.refusals)
      capture.pointee.undone.removeAll { $0.lowerBound >= kept.changes }
      // The largest key may have been taken back; what follows is compared row by row.
      for index in capture.pointee.tables.indices {
        capture.pointee.tables[index].isAscending = false
      }
      // A table may have been taken back too.
      try schemaMayHaveChanged()
      departures.truncate(to: kept.departures)
    case .schema: try schemaMayHaveChanged()
    default: break
    }
  }

  private func schemaMayHaveChanged() throws {
    guard try connection.integer("PRAGMA schema_version") != schemaVersion else { return }
    let old = schema
    schemaBefore = schemaBefore ?? schema
    let active = capture.pointee.isActive
    capture.pointee.isActive = false
    defer { capture.pointee.isActive = active }
    try loadSchema()
    try departures.note(from: old, to: schema, original: schemaBefore ?? old) {
      var written: Set<UInt32> = []
      var reader = ChangeListReader(capture.pointee.changes.bytes)
      while let change = try reader.next(layout: registry.layout) { written.insert(change.shapeID) }
      return written.compactMap { registry.shapes[$0] }
    }
    // The ascent of the new tables begins here, with rows that may have been changed before.
    if capture.pointee.count > 0 {
      for index in capture.pointee.tables.indices {
        capture.pointee.tables[index].isAscending = false
      }
    }
    for table in schema.tables {
      let known = Set(old.table(named: table.name)?.columns.map { SQLName($0.name) } ?? [])
      if !known.isEmpty { try StoredDefaults.complete(table, except: known, in: connection) }
    }
  }
}
