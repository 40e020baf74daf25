import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// The one connection through which the application writes. It captures its commits, and gives them numbers
/// and stamps.
final class WriterConnection {
  let connection: Connection
  let capture: UnsafeMutablePointer<CaptureState>
  let milliseconds: @Sendable () -> UInt64
  private let randomness: @Sendable () -> UInt64
  /// A connection that sees the last commit while a transaction is open; opened when first needed.
  private var before: Connection?

  var schema: ReplicatedSchema
  private var selection: TableSelection
  /// The tables that are not shared.
  var leftOut = LeftOutTables()
  var registry: ShapeRegistry
  var shapeNumbers: [SQLName: UInt32] = [:]
  var schemaNumber: UInt32 = 0
  var schemaVersion: Int64?

  private(set) var peer: PeerIdentity
  /// The record of the open transaction, for those who observe the store.
  var observed: ObservedRecord?
  /// The constraints; read when first needed, and again after each change of the schema.
  private var constraints: ConstraintSet?
  private var looseParents: LooseParents?
  /// Whether any rows are held, or show other values than those they refer to.
  var hasHeldRows = false { didSet { concern = nil } }
  /// Read when first needed.
  private var concern: CommitConcern?
  var concernsHeldRows = false
  /// Whether `net` is the effect of the open transaction.
  var isRecorded = false
  /// Held rows whose numbers the transaction takes over, and the rows that refer to them.
  var movedRows = RowMoves()

  var sequence = SequenceNumber.zero
  private var clock = HybridClock()
  /// The version of the file as this connection left it; if it has changed, another connection has written.
  var seenVersion: UInt32?

  // The statements that every transaction runs are kept, rather than looked up by their text.
  private let beginStatement: Statement
  let commitStatement: Statement
  private let insertion: Statement

  /// Whether the application's triggers fire. They do not in a silent write, nor if there are none, since the
  /// capture's own triggers would only cost time.
  var firesTriggers = true
  private let isSilent: Bool
  /// Distinguishes this connection's commits from those of other programs.
  let ownCommits = OwnCommits()
  /// Whether other programs have made changes that are not recorded yet.
  var hasForeignWrites = false
  var foreignSequence: SequenceNumber?

  var transaction = OpenTransaction()
  var net = ByteBuffer()
  private let tally = NetEffectTally()
  let observation: CommitObservation

  /// Opens the connection.
  ///
  /// - Parameter isSilent: whether the application's triggers stay silent.
  /// - Parameter observation: notified of commits.
  init(
    path: String, isSilent: Bool = false, synchronous: SynchronousMode,
    milliseconds: @escaping @Sendable () -> UInt64,
    randomness: @escaping @Sendable () -> UInt64, observation: CommitObservation
  ) throws {
    self.isSilent = isSilent
    self.observation = observation
    connection = try Connection(path: path, mode: .readWrite, classifies: true)
    self.milliseconds = milliseconds
    self.randomness = randomness
    try connection.execute(
      """
      PRAGMA synchronous = \(synchronous.rawValue);
      \(LocalStore.logSettings)
      """)
    connection.observer = ownCommits
    selection = try TableSelection(connection)
    schema = try ReplicatedSchema(connection, selection: selection)
    connection.setForeignKeys(enforced: schema.enforcesForeignKeys)
    registry = try ShapeRegistry(connection)
    peer = try Settings(connection).peer()
    beginStatement = try connection.prepare("BEGIN IMMEDIATE", persistent: true)
    commitStatement = try connection.prepare("COMMIT", persistent: true)
    insertion = try Outbox(connection).makeInsertion()
    capture = .allocate(capacity: 1)
    capture.initialize(to: CaptureState(isUTF8: try connection.isUTF8()))
    PreupdateHook.install(on: connection, state: capture)
    connection.keepPromises(whileReading: false)
    connection.classifier?.ignoredTriggers = CaptureTriggers.prefix
    // What such a transaction writes is checked before its commit.
    connection.classifier?.passesOverAbsentParents = true
  }

  deinit {
    PreupdateHook.remove(from: connection)
    capture.deinitialize(count: 1)
    capture.deallocate()
  }

  // MARK: Transactions

  func begin() throws {
    // A migration that was rolled back no longer says anything.
    transaction = OpenTransaction()
    repeat {
      try beginStatement.run()
      do {
        try ownCommits.didBegin(connection)
        try refresh()
      } catch {
        rollBack()
        throw error
      }
      // What other programs have written becomes a transaction of its own, ahead of this one.
    } while try recordForeignWrites()
    capture.pointee.reset()
    transaction = OpenTransaction()
    if observation.isActive || capture.pointee.touched.isNoting { observeTransaction() }
    capture.pointee.isActive = true
  }

  /// Commits, with a record of what changed.
  ///
  /// - Parameter basis: the version that the writes are based on; `nil` means the current knowledge.
  /// - Returns: the sequence number of the record; `nil` if nothing replicated changed.
  /// - Throws: the error, after the transaction was rolled back.
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
      // This is read before the transaction itself becomes one of them.
      let hasLogs = try transaction.departures.count > 0 && hasLogs()
      if transaction.departures.count > 0 { try settleDepartures() }
      if let before = transaction.schemaBefore {
        try GivenUpNames(connection, transaction.migration?.names ?? []).check(
          schema, since: before)
      }
      let recorded = try record(basis: basis)
      if try capture.pointee.mayMiscount || connection.hasForeignKeysOff || losesLooseParents() {
        try checkForeignKeys()
      }
      if schema.enforcesForeignKeys {
        for table in transaction.rebuilt { try table.checkReferences(now: connection) }
      }
      if concernsHeldRows, recorded != nil || transaction.schemaBefore != nil { try resolve() }
      if transaction.departures.count > 0 { try forgetShapes(hasLogs: hasLogs) }
      try ownCommits.willCommit(connection)
      if observation.isActive {
        try commitObserved(recorded)
      } else {
        try commitStatement.run()
      }
      ownCommits.didCommit(connection)
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
    // Anything read or recorded within the transaction may be gone.
    seenVersion = nil
    schemaVersion = nil
    ownCommits.forget()
  }

  private func record(basis: Knowledge?) throws -> SequenceNumber? {
    isRecorded = false
    movedRows = RowMoves()
    if transaction.migration?.rows == .takenBack {
      try takeBackRows()
      return nil
    }
    concernsHeldRows = try mayConcernHeldRows()
    if !transaction.settlements.isEmpty { return try recordWithSettlements(basis) }
    guard capture.pointee.count > 0 || !transaction.rebuilt.isEmpty else { return nil }
    if concernsHeldRows { return try recordWithMoves(basis) }
    if capture.pointee.isPlainlyNet, capture.pointee.refusals.isEmpty, transaction.rebuilt.isEmpty {
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
    ).add(transaction.settlements, to: net.bytes, into: &whole)
    swap(&net, &whole)
    isRecorded = true
    return net.isEmpty ? nil : try append(net.bytes, basis)
  }

  private func mayConcernHeldRows() throws -> Bool {
    if !hasHeldRows || !transaction.settlements.isEmpty || transaction.schemaBefore != nil {
      return hasHeldRows
    }
    let known =
      try concern ?? CommitConcern(connection, constraintSet(), shapeNumbers: shapeNumbers)
    concern = known
    return try known.mayExist(in: capture.pointee.changes.bytes, layout: registry.layout)
  }

  /// Records the transaction after moving held rows whose numbers new rows may have been given.
  private func recordWithMoves(_ basis: Knowledge?) throws -> SequenceNumber? {
    try computeNetEffect()
    return net.isEmpty ? nil : try appendWithMoves(basis)
  }

  func appendWithMoves(_ basis: Knowledge?) throws -> SequenceNumber {
    isRecorded = true
    let time = try tick()
    let side = Conflict.Side(peer: peer, sequence: sequence.next, time: time)
    var announced = ByteBuffer()
    movedRows = try HeldRowMoves(
      connection: connection, constraints: constraintSet(), registry: registry,
      author: BatchTransaction(
        side: side, knowledge: KnowledgeTable(connection).current(),
        mark: transaction.migration?.mark)
    ).run(&net, into: &announced, milliseconds: milliseconds())
    return try append(announced.isEmpty ? net.bytes : announced.bytes, basis, at: time)
  }

  func constraintSet() throws -> ConstraintSet {
    let known = try constraints ?? ConstraintSet(connection, schema: schema)
    constraints = known
    return known
  }

  func lastCommit() throws -> Connection {
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

  func computeNetEffect() throws {
    net.removeAll()
    try NetEffect(
      schema: schema, registry: registry, before: lastCommit(), now: connection,
      shapeNumbers: shapeNumbers, hasNullKeys: !capture.pointee.refusals.isEmpty, tally: tally
    ).compute(capture.pointee.changes.bytes, undone: capture.pointee.undone, into: &net)
    if !transaction.rebuilt.isEmpty { try compareRebuiltTables() }
  }

  private func append(
    _ changes: UnsafeRawBufferPointer, _ basis: Knowledge?, at time: HybridTime? = nil
  ) throws -> SequenceNumber {
    let record = Outbox.Record(
      sequence: sequence.next, time: try time ?? tick(), schema: try markedSchemaNumber(),
      basis: basis)
    try Outbox(connection).append(
      record, changes: changes, pieces: try Outbox.pieces(of: changes, layout: registry.layout),
      place: ownCommits.takePlace(connection), insertion: insertion)
    sequence = record.sequence
    if observation.isActive { observed = ObservedRecord(changes) }
    return record.sequence
  }

  /// Returns the number of the schema's name. If the transaction contains rows of a migration that runs once,
  /// the name says so.
  private func markedSchemaNumber() throws -> UInt32 {
    guard let mark = transaction.migration?.mark else { return schemaNumber }
    var written = try WrittenMigrations(connection)
    written.add(mark, by: peer, sequence.next)
    try written.write(to: connection)
    return try SchemaNames(connection).number(
      of: WrittenMigrations.schema(schema.name, marked: mark))
  }

  func tick() throws -> HybridTime {
    guard let time = clock.tick(milliseconds: milliseconds(), randomness: randomness()) else {
      throw StoreError(
        .clock, "the clock has run out of times", path: connection.path,
        remedy: "a peer with a broken clock has written: see `tributary status`")
    }
    return time
  }

  /// Updates which rows are held: for all rows if constraints may have come or gone, otherwise only for the
  /// changed ones.
  private func resolve() throws {
    try resolution(decidesAll: transaction.schemaBefore != nil, refuses: true).run(
      moved: movedRows, milliseconds: milliseconds()
    ) { body in
      try body(isRecorded ? net.bytes : UnsafeRawBufferPointer(start: nil, count: 0))
    }
    hasHeldRows = try !HeldTable.isEmpty(connection)
  }

  func resolution(decidesAll: Bool, refuses: Bool) throws -> CommitResolution {
    CommitResolution(
      connection: connection, schema: schema, constraints: try constraintSet(), registry: registry,
      author: Conflict.Side(peer: peer, sequence: sequence, time: clock.last),
      decidesAll: decidesAll, refuses: refuses, firesTriggers: firesTriggers,
      demanded: try transaction.settlements.demandedRows(schema))
  }

  // MARK: Keeping up with other connections

  /// Rereads what another connection may have changed since the last transaction.
  private func refresh() throws {
    guard connection.dataVersion != seenVersion else { return }
    if let state = ownCommits.state {
      hasForeignWrites = try ForeignCapture(connection).isPending(state, isUnchanged: true)
    }
    let last = try Outbox(connection).last()
    sequence = last?.sequence ?? .zero
    try Outbox(connection).checkContinuity(endingWith: sequence)
    clock.observe(last?.time ?? .zero)
    clock.observe(try KnowledgeTable(connection).latestTime())
    clock.observe(try ClockFloor(connection).time())
    peer = try Settings(connection).peer()
    hasHeldRows = try !HeldTable.isEmpty(connection)
    if try connection.integer("PRAGMA schema_version") != schemaVersion {
      try StoppedTables(connection).update()
      try loadSchema()
    }
  }

  /// Reads the tables again. This needs an open transaction, since it records new shapes.
  func loadSchema() throws {
    let changes = transaction.migration?.names ?? []
    selection = try TableSelection(connection, renaming: changes)
    leftOut = try LeftOutTables(connection, renaming: changes)
    let enforced = schema.enforcesForeignKeys
    schema = try ChosenKeys.settle(selection, in: connection)
    if schema.enforcesForeignKeys != enforced {
      connection.setForeignKeys(enforced: schema.enforcesForeignKeys)
    }
    schemaVersion = try connection.integer("PRAGMA schema_version")
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
    firesTriggers = try !isSilent && ForeignCapture(connection).leavesTriggers()
    connection.setTriggers(firing: firesTriggers)
    schemaNumber = try SchemaNames(connection).number(of: schema.name)
  }
}
