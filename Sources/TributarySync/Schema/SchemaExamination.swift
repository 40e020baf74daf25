import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Combines what a store and the manifests of its peers state about their schemas.
struct SchemaExamination {
  let exchange: Exchange
  private let others: [PeerManifest]
  private let here: [String]

  init(_ exchange: Exchange) throws {
    self.exchange = exchange
    others = exchange.manifests.others(than: exchange.own)
    here = try Migration.applied(in: exchange.connection).map(\.name)
  }

  func report() throws -> SchemaReport {
    var report = SchemaReport()
    report.followsSchema = try FollowedSchema(exchange.connection).isFollowing
    for manifest in others { report.names[manifest.peer] = manifest.name }
    report.steps = names().enumerated().map { place, name in
      SchemaReport.Step(
        name: name, position: place + 1, isHere: Self.has(here, name),
        peers: others.filter { Self.has($0.schema.migrations, name) }.map(\.peer), waiting: [])
    }
    let arrived = try Arrivals(exchange: exchange).look()
    if let failure = arrived.failure { throw failure }
    var unknown = SchemaReport.Step(position: 0, isHere: false, peers: [], waiting: [])
    for blocked in arrived.blocked {
      let waiting = arrived.waiting.first {
        $0.peer == blocked.waiting.peer && $0.sequence == blocked.waiting.sequence
      }
      guard let waiting else { continue }
      if let place = try step(for: blocked, among: report.steps) {
        report.steps[place].waiting.append(waiting)
      } else {
        unknown.waiting.append(waiting)
      }
    }
    if !unknown.waiting.isEmpty { report.steps.append(unknown) }
    for index in report.steps.indices {
      report.steps[index].waiting.sort { ($0.peer, $0.sequence) < ($1.peer, $1.sequence) }
    }
    report.peers = try differing()
    return report
  }

  /// Two spellings of one text are two names.
  private static func has(_ names: [String], _ name: String) -> Bool {
    names.contains { $0.utf8.elementsEqual(name.utf8) }
  }

  /// Returns the names of all migrations: in the order of the peer that has run the most, followed by those
  /// that only others have.
  private func names() -> [String] {
    var names: [String] = []
    let lists = ([here] + others.map(\.schema.migrations)).enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }
    for (_, list) in lists {
      for name in list where !Self.has(names, name) { names.append(name) }
    }
    return names
  }

  // MARK: What waits

  /// Returns the migration for which a transaction waits; `nil` if there is none. It is the first one that is
  /// not here, that was run by a peer that has what is missing, and that was run by no peer that lacks it.
  private func step(
    for blocked: SchemaFollowing.Blocked, among steps: [SchemaReport.Step]
  ) throws -> Int? {
    var (having, lacking): (Set<PeerIdentity>, Set<PeerIdentity>) = ([], [])
    for manifest in others where !manifest.schema.sql.isEmpty {
      if try Self.has(manifest.schema, blocked.shape, exchange.connection.extensions) {
        having.insert(manifest.peer)
      } else {
        lacking.insert(manifest.peer)
      }
    }
    guard !having.isEmpty else { return nil }
    return steps.firstIndex { step in
      !step.isHere && !having.isDisjoint(with: step.peers) && lacking.isDisjoint(with: step.peers)
    }
  }

  /// Whether a schema has a table with the columns of a shape.
  private static func has(
    _ schema: ManifestSchema, _ shape: TableShape, _ extensions: [String]
  ) throws -> Bool {
    guard
      let sql = schema.sql.first(where: {
        SQLName(SchemaObject(sql: $0)?.name ?? "") == SQLName(shape.table)
      })
    else { return false }
    var one = schema
    one.sql = [sql]
    guard
      let table = try PeerTables(one, extensions: extensions).schema.table(named: shape.table)
    else { return false }
    let present = Set(table.shape.columns.map { SQLName($0) })
    return shape.columns.allSatisfy { present.contains(SQLName($0)) }
  }

  // MARK: What differs

  private func differing() throws -> [SchemaReport.Peer] {
    var known: [ManifestSchema: (differences: [SchemaDifference], trouble: String?)] = [:]
    var peers: [SchemaReport.Peer] = []
    for manifest in others where !manifest.schema.sql.isEmpty {
      let found = try known[manifest.schema] ?? compare(manifest)
      known[manifest.schema] = found
      guard !found.differences.isEmpty || found.trouble != nil else { continue }
      peers.append(
        SchemaReport.Peer(
          peer: manifest.peer, name: manifest.name, differences: found.differences,
          trouble: found.trouble))
    }
    return peers
  }

  private func compare(
    _ manifest: PeerManifest
  ) throws -> (differences: [SchemaDifference], trouble: String?) {
    do {
      let comparison = try SchemaComparison(
        SchemaSource(
          manifest.schema, at: exchange.directory.manifest(of: manifest.peer)),
        to: exchange.connection)
      return (comparison.differences + comparison.extras, nil)
    } catch let error as SyncError {
      return ([], error.message)
    }
  }
}

extension SyncSession {
  /// Returns the migrations of this store and its peers, where each has run, what waits for them, and whose
  /// tables differ from those here. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be read completely.
  package func schemaReport() throws -> SchemaReport {
    try store.service { connection in
      let identity = try StoreIdentity(reading: connection)
      var exchange = Exchange(
        identity, connection, looking, try identity.directory(), memory)
      try checkPresent(exchange, reseed: false)
      try exchange.look()
      return try SchemaExamination(exchange).report()
    }
  }
}
