internal import TributaryCore
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

/// A device with a real store and a container of its own.
final class HarnessDevice {
  let number: Int
  let container: String
  let clock: AdjustableClock
  let path: String
  private let schema: ReferenceSchema
  private let migrations: [Migration]

  /// All the identities it has had; the last is the present one.
  private(set) var peers: [PeerIdentity] = []
  private var session: SyncSession?
  /// What its present store has held one after another, as far as somebody read it.
  private(set) var versions: [Version] = []

  init(_ number: Int, in directory: String, _ generator: HistoryGenerator, startingAt time: UInt64)
    throws
  {
    self.number = number
    container = "\(directory)/container\(number)"
    path = "\(directory)/store\(number).db"
    clock = AdjustableClock(milliseconds: time)
    schema = generator.schema
    migrations = [
      Migration(name: "1", sql: generator.createStatements.joined(separator: ";\n"))
    ]
    try RawFiles.makeDirectories(container)
  }

  var peer: PeerIdentity { peers[peers.count - 1] }

  // MARK: The store as a whole

  /// Attaches, with a new identity.
  ///
  /// - Parameter migrating: brings the schema; otherwise the container must.
  func attach(
    as peer: PeerIdentity, migrating: Bool
  ) throws -> AttachReport {
    var request = AttachRequest(store: path, container: container, contentName: "H")
    request.migrations = migrating ? migrations : []
    request.peerName = "device \(number)"
    peers.append(peer)
    let report = try Engine.attach(
      request, environment: Environment(clock: clock, makeIdentity: { peer }))
    try open()
    return report
  }

  func open() throws {
    session = try SyncSession(store: path, environment: Environment(clock: clock))
  }

  func close() { session = nil }

  /// Loses the store.
  func discard() throws {
    close()
    versions = []
    for suffix in ["", "-wal", "-shm"] where RawFiles.read(path + suffix) != nil {
      try RawFiles.remove(path + suffix)
    }
  }

  func rebuild() throws -> RebuildReport {
    close()
    defer { close() }
    return try Engine.rebuild(store: path, environment: Environment(clock: clock))
  }

  func verify() throws -> VerifyReport {
    try Engine.verify(store: path, environment: Environment(clock: clock))
  }

  func synchronize(reseed: Bool = false) throws -> SyncReport {
    try opened().synchronize(reseed: reseed)
  }

  private func opened() throws -> SyncSession {
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

  func digest() throws -> String { try opened().store.digest().total }

  /// What it has imported, and all that is its own.
  func knowledge() throws -> Knowledge {
    let own = peer
    return try opened().store.service { connection in
      var knowledge = try KnowledgeTable(connection).current()
      knowledge[own] = try Outbox(connection).last()?.sequence ?? .zero
      return knowledge
    }
  }

  func record(_ sequence: SequenceNumber) throws -> RecordedTransaction? {
    try opened().store.service { try RecordedTransaction(sequence, from: $0) }
  }

  /// Without what SQLite 3.40 says of whole numbers in tables WITHOUT ROWID whose key comes last:
  /// it takes them for text.
  func integrityFindings() throws -> [String] {
    try opened().store.service { connection in
      let statement = try connection.prepare("PRAGMA integrity_check")
      var findings: [String] = []
      while try statement.step() { findings.append(statement.string(0)) }
      return findings.filter { $0 != "ok" && !$0.hasPrefix("TEXT value in ") }
    }
  }

  /// Rows without parents, as SQLite finds them.
  func orphans() throws -> [String] {
    try opened().store.service { connection in
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      var findings: [String] = []
      while try statement.step() {
        findings.append("\(statement.string(0)) \(statement.integer(1)): \(statement.string(2))")
      }
      return findings
    }
  }

  /// The conflicts that last, each with its identifier.
  func conflicts() throws -> [(id: String, conflict: ReferenceConflict)] {
    try opened().conflicts().map { ($0.id, try ReferenceConflict($0)) }
  }

  // MARK: Writing

  /// SQLITE_MISMATCH: an action put NULL into a row identifier.
  private static let mismatch: Int32 = 20

  /// Runs a write in one transaction; statements that a constraint stops are passed over.
  ///
  /// - Parameter version: what it is based on; `nil` is what is there.
  /// - Returns: whether it was committed; a constraint may stop that too.
  func run(_ write: RandomWrite, basedOn version: Version?) throws -> Bool {
    var reachedCommit = false
    func body(_ database: Database) throws {
      for statement in write.statements {
        do {
          let prepared = try database.prepare(statement.sql)
          for (index, value) in statement.parameters.enumerated() {
            try prepared.bind(value, at: index + 1)
          }
          try prepared.run()
        } catch let error as SQLiteError
          where error.isConstraintViolation || error.primaryCode == Self.mismatch
        {
          continue
        }
      }
      reachedCommit = true
    }
    do {
      let store = try opened().store
      if let version { try store.write(basedOn: version, body) } else { try store.write(body) }
      return true
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
