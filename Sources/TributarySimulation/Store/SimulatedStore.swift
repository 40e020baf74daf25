import Synchronization
internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// The real store of a simulated device, and the application that uses it.
final class SimulatedStore {
  let number: Int
  let container: String
  let clock: AdjustableClock
  let path: String
  let schema: ReferenceSchema
  private let migrations: [Migration]
  let copies: [TableCopy]
  private let undeclared: [(table: String, reference: ReferenceForeignKey)]
  private let keepsForeignKeys: Bool
  private(set) var environment: StoreEnvironment

  /// All the identities that it has had; the last one is the current one.
  private(set) var peers: [PeerIdentity] = []
  private var session: SyncSession?
  /// The versions of its current store, as far as they were read.
  private(set) var versions: [Version] = []

  /// Makes a device.
  ///
  /// - Parameters:
  ///   - directory: the directory of its store.
  ///   - environment: the environment, with `clock`.
  ///   - seed: the seed of its transactions' randomness.
  ///   - others: how the writes of programs that do not know the store are captured; `nil` if there are none.
  init(
    _ number: Int, in directory: String, container: String, _ generator: HistoryGenerator,
    clock: AdjustableClock, environment: StoreEnvironment, seed: UInt64,
    others: CaptureMethod?
  ) {
    self.number = number
    self.container = container
    path = "\(directory)/store\(number).db"
    self.clock = clock
    let numbers = Mutex(SeededGenerator(seed: seed ^ UInt64(number)))
    self.environment = environment
    self.environment.randomness = { numbers.withLock { $0.next() } }
    hasOthers = others != nil
    captures = others ?? .hook
    schema = generator.schema
    copies = generator.copies
    undeclared = generator.undeclared
    keepsForeignKeys = generator.keepsForeignKeys
    migrations = [
      Migration(name: "1", sql: generator.createStatements.joined(separator: ";\n"))
    ]
  }

  /// Whether other programs write to the store too.
  let hasOthers: Bool

  /// How other programs' writes are captured.
  let captures: CaptureMethod

  var peer: PeerIdentity { peers[peers.count - 1] }

  // MARK: The store as a whole

  /// Attaches with a new identity.
  ///
  /// - Parameter migrating: whether migrations provide the schema; otherwise, the container must.
  func attach(
    as peer: PeerIdentity, migrating: Bool
  ) throws -> AttachReport {
    var request = AttachRequest(store: path, container: container, contentName: "H")
    request.migrations = migrating ? migrations : []
    request.peerName = "device \(number)"
    request.capture = captures
    if migrating { request.merge = merge }
    if !copies.isEmpty { request.tables = .except(copies.flatMap { [$0.name, $0.seenName] }) }
    peers.append(peer)
    var environment = environment
    environment.makeIdentity = { peer }
    let report = try Engine.attach(request, environment: environment)
    // A joining database has an identity that sorts before those of others.
    peers[peers.count - 1] = report.identity.peer
    try open()
    return report
  }

  /// The declarations that do not follow from the tables: rows that identify themselves despite UNIQUE keys,
  /// positive numbers for displaced rows, what makes rows the same, and references without a foreign key.
  private var merge: MergeOptions? {
    var options = MergeOptions()
    for table in schema.tables where table.keepsEqualRowsApart {
      options.tables[SQLName(table.name)] = TableMerge(knownBy: .themselves)
    }
    for table in schema.tables {
      guard let bits = table.positiveBits else { continue }
      options.tables[SQLName(table.name), default: TableMerge()].positiveBits = bits
    }
    for table in schema.tables where !table.identifyingColumns.isEmpty {
      options.tables[SQLName(table.name), default: TableMerge()].identifyingColumns = Set(
        table.identifyingColumns.map { SQLName($0.name) })
    }
    for (table, reference) in undeclared {
      options.tables[SQLName(table), default: TableMerge()]
        .references[SQLName(reference.columns[0])] = DeclaredReference(
          reference.parent, reference.parentColumns[0].name)
    }
    if keepsForeignKeys { options.foreignKeys = .keep }
    return options.isEmpty ? nil : options
  }

  /// What its baselines contain, by path.
  private(set) var baselines: [String: Knowledge] = [:]

  func writeBaseline() throws -> BaselineReport {
    let report = try opened().writeBaseline()
    baselines[report.path] = try knowledge()
    return report
  }

  func open() throws {
    session = try SyncSession(store: path, environment: environment)
  }

  func close() { session = nil }

  /// Deletes the store.
  func discard() throws {
    close()
    versions = []
    for suffix in ["", "-wal", "-shm"] where RawFiles.exists(path + suffix) {
      try RawFiles.remove(path + suffix)
    }
  }

  /// Deletes the record, outside the store, of what it has published.
  func dismissWitness() {
    environment.witness.dismiss(path, of: peer)
  }

  func rebuild() throws -> RebuildReport {
    close()
    defer { close() }
    return try Engine.rebuild(store: path, environment: environment)
  }

  func verify() throws -> VerifyReport {
    try Engine.verify(store: path, environment: environment)
  }

  func synchronize(
    reseed: Bool = false, didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> SyncReport {
    try opened().synchronize(reseed: reseed, didImport: didImport)
  }

  /// Whether the store has bookkeeping.
  func isAttached() throws -> Bool {
    try RawFiles.exists(path) && LocalStore.isAttached(at: path)
  }

  /// Returns the store's identity.
  func identity() throws -> PeerIdentity { try opened().store.identity().peer }

  /// Records a new identity.
  func became(_ peer: PeerIdentity) { peers.append(peer) }

  /// Discards the versions, because those of a restored store are different.
  func forgetVersions() { versions = [] }

  func opened() throws -> SyncSession {
    guard let session else { throw HarnessFailure("the store of device \(number) is closed") }
    return session
  }

  // MARK: What it holds

  func contents() throws -> ReferenceContents {
    try opened().store.read { database in
      var contents = ReferenceContents()
      for table in schema.tables {
        let names = table.columns.map(\.name)
        let list = names.joined(separator: ", ")
        for row in try database.query("SELECT \(list) FROM \(table.name)") {
          contents.insert(
            Dictionary(uniqueKeysWithValues: zip(names, row.values)), into: table)
        }
      }
      let version = try database.version
      if versions.last != version { versions.append(version) }
      return contents
    }
  }

  /// Returns the rows of a query, for messages.
  func rows(_ sql: String) throws -> [String] {
    try opened().store.read { database in try database.query(sql).map { "\($0.values)" } }
  }

  func digest() throws -> String { try opened().store.digest().total }

  /// Returns what it has imported, and all of its own transactions.
  func knowledge() throws -> Knowledge {
    let own = peer
    return try opened().store.service { connection in
      var knowledge = try KnowledgeTable(connection).current()
      knowledge[own] = try Outbox(connection).last()?.sequence ?? .zero
      return knowledge
    }
  }

  /// Declares that a peer is gone.
  func retire(_ peer: PeerIdentity) throws -> SyncReport {
    try opened().retire(peer.description).report
  }

  /// Returns the last own transaction, even while the store synchronises.
  func lastRecorded() throws -> SequenceNumber {
    try opened().store.read { database in
      let rows = try database.query("SELECT ifnull(max(sequence), 0) FROM tributary_outbox")
      guard case .integer(let last)? = rows.first?.values.first else { return .zero }
      return SequenceNumber(UInt64(clamping: last))
    }
  }

  /// Returns the times of its own transactions, in their order.
  func times() throws -> [HybridTime] {
    try opened().store.service { connection in
      try Outbox(connection).records(from: SequenceNumber(1), to: .max).map(\.time)
    }
  }

  /// Returns the last own transaction that the store remembers having published.
  func lastPublished() throws -> SequenceNumber {
    try opened().store.read { database in
      let rows = try database.query("SELECT ifnull(max(last), 0) FROM tributary_segment")
      guard case .integer(let last)? = rows.first?.values.first else { return .zero }
      return SequenceNumber(UInt64(clamping: last))
    }
  }

  /// Whether it has own segments that must be removed.
  func hasRemovals() throws -> Bool {
    let own = peer
    return try opened().store.service { try !WithdrawalTable($0).all(of: own).isEmpty }
  }

  func record(_ sequence: SequenceNumber) throws -> RecordedTransaction? {
    try opened().store.service { try RecordedTransaction(sequence, from: $0) }
  }

  /// Returns integrity errors, except for one of SQLite 3.40: in tables WITHOUT ROWID whose key comes last,
  /// it mistakes integers for text.
  func integrityFindings() throws -> [String] {
    try opened().store.service { connection in
      let statement = try connection.prepare("PRAGMA integrity_check")
      var findings: [String] = []
      while try statement.step() { findings.append(statement.string(0)) }
      return findings.filter { $0 != "ok" && !$0.hasPrefix("TEXT value in ") }
    }
  }

  /// Returns rows without parents, according to SQLite.
  func orphans() throws -> [String] {
    if keepsForeignKeys { return [] }
    return try opened().store.service { connection in
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      var findings: [String] = []
      while try statement.step() {
        findings.append("\(statement.string(0)) \(statement.integer(1)): \(statement.string(2))")
      }
      return findings
    }
  }

  /// Returns the open conflicts, each with its identifier.
  func conflicts() throws -> [(id: String, conflict: ReferenceConflict)] {
    try opened().conflicts().map { ($0.id, try ReferenceConflict($0)) }
  }

  // MARK: Writing

  /// Resolves a conflict.
  ///
  /// - Returns: `false` if that is not possible.
  func settle(_ id: String, keeping keeps: Bool) throws -> Bool {
    do {
      try opened().resolve(id, keeps ? .keep : .restore)
      return true
    } catch let error as SyncError where error.code == .unrestorable {
      return false
    }
  }

  /// Thrown when a constraint declares that a conflict rolls everything back.
  private struct RolledBack: Error {}

  /// Runs a write in one transaction; statements that a constraint stops are skipped.
  ///
  /// - Parameter version: the version that it is based on; `nil` means the current one.
  /// - Returns: whether it was committed; a constraint may prevent that too.
  func run(_ write: RandomWrite, basedOn version: Version?) throws -> Bool {
    var reachedCommit = false
    func body(_ database: Database) throws {
      // Rows that REPLACE deletes must be removed from the copies too.
      if !copies.isEmpty { try database.execute("PRAGMA recursive_triggers = ON") }
      for statement in write.statements {
        do {
          let prepared = try database.prepare(statement.sql)
          for (index, value) in statement.parameters.enumerated() {
            try prepared.bind(value, at: index + 1)
          }
          try prepared.run()
        } catch let error as SQLiteError where error.isRefusalOfWrite {
          guard database.isInTransaction else { throw RolledBack() }
        }
      }
      reachedCommit = true
    }
    do {
      let store = try opened().store
      if let version { try store.write(basedOn: version, body) } else { try store.write(body) }
      return true
    } catch is RolledBack {
      return false
    } catch let error as StoreError where error.code == .version && !reachedCommit {
      // The devices have agreed to forget what came before.
      guard environment.horizons.isOn else { throw error }
      return false
    } catch let error as SQLiteError where reachedCommit && error.isConstraintViolation {
      return false
    }
  }
}

extension ReferenceConflict {
  fileprivate init(_ conflict: Conflict) throws {
    guard let kind = Kind(rawValue: conflict.kind.rawValue) else {
      throw HarnessFailure("a conflict of the kind \(conflict.kind)")
    }
    self.init(
      table: conflict.table, key: conflict.key, kind: kind, isHeld: conflict.isHeld,
      values: Dictionary(conflict.values.map { ($0.column, $0.value) }) { _, last in last },
      winner: ReferenceSide(conflict.winner), loser: ReferenceSide(conflict.loser))
  }
}

extension ReferenceSide {
  fileprivate init(_ side: Conflict.Side) {
    self.init(peer: side.peer, sequence: side.sequence, time: side.time)
  }
}
