import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// The tables that baselines must have: a store that leaves some of them out counts what others write there
/// as imported without having it (rule 14 of `docs/space-files.md`).
struct SharedTables {
  /// The tables that each author replicates, under each of its identities.
  private var tables: [PeerIdentity: [String]] = [:]
  private var names = NameChanges()

  /// Reads what peers state in their `peer.json`.
  ///
  /// - Parameter gone: the peers that are not counted on.
  init(_ manifests: PeerManifests, without gone: Set<PeerIdentity>) {
    for manifest in manifests.all.values where !gone.contains(manifest.peer) {
      add(manifest.schema.tables, of: [manifest.peer] + manifest.former.keys)
      names.add(manifest.schema.names.compactMap { NameChange($0) })
    }
  }

  /// Adds what a store replicates itself, or would replicate if nothing had stopped it.
  ///
  /// - Parameter countsGone: whether peers that are gone count: what they wrote may be here.
  init(_ exchange: Exchange, countsGone: Bool) throws {
    let connection = exchange.connection
    self.init(exchange.manifests, without: countsGone ? [] : exchange.manifests.all.goneIdentities)
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let own = schema.tables.filter { $0.refusal == nil }.map(\.name)
    let stopped = try StoppedTables(connection).names()
    add(
      own + stopped,
      of: [exchange.own] + (try FormerIdentities(connection).all().map(\.peer)))
    names.add(schema.names.all)
  }

  private mutating func add(_ names: [String], of identities: [PeerIdentity]) {
    for peer in identities { tables[peer, default: []] += names }
  }

  /// Returns the tables that a choice leaves out although an author of the transactions replicates them, in
  /// ascending order.
  ///
  /// - Parameter contents: the transactions.
  func missing(from selection: TableSelection, of contents: Knowledge) -> [String] {
    if selection == .all { return [] }
    var missing: Set<SQLName> = []
    for (peer, tables) in tables where contents[peer] > .zero {
      for table in tables where !includes(selection, table) { missing.insert(SQLName(table)) }
    }
    return missing.map(\.text).sorted(byBytesOf: \.self)
  }

  /// Whether a choice includes a table under the name that it had when the choice was made.
  private func includes(_ selection: TableSelection, _ table: String) -> Bool {
    let all = names.isEmpty ? [SQLName(table)] : names.names(of: SQLName(table))
    return switch selection {
    case .all: true
    case .only: all.contains { selection.includes($0.text) }
    case .except: all.allSatisfy { selection.includes($0.text) }
    }
  }
}

extension Exchange {
  /// Returns the tables that a baseline lacks although an author of its transactions replicates them.
  ///
  /// - Parameters:
  ///   - selection: the tables that the reader replicates. No others matter to it.
  ///   - countsGone: whether peers that are gone count: what they wrote may be here.
  func tablesMissing(
    from header: BaselineHeader, for selection: TableSelection = .all, countsGone: Bool = false
  ) throws -> [String] {
    // Usually, nothing needs to be read.
    if header.tables == .all { return [] }
    return try SharedTables(self, countsGone: countsGone)
      .missing(from: header.tables, of: header.contents).filter(selection.includes)
  }

  /// Returns the tables that this store leaves out, because of which it writes no baseline of some
  /// transactions for others.
  func tablesLeftOut(of contents: Knowledge) throws -> [String] {
    let selection = try TableSelection(connection)
    if selection == .all { return [] }
    return try SharedTables(self, countsGone: false).missing(from: selection, of: contents)
  }
}

extension [DeclaredBaselines.Baseline] {
  /// Returns the baselines that have all tables that their authors replicate, so that other devices may rely
  /// on them.
  func complete(in exchange: Exchange) throws -> [DeclaredBaselines.Baseline] {
    try filter { try exchange.tablesMissing(from: $0.header).isEmpty }
  }
}
