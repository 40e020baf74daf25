import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// The peers' declarations of how tables merge. Tables that merge differently would diverge.
struct MergeAgreement {
  let manifests: PeerManifests
  /// The SQLite extensions of the store that asks.
  var extensions: [String] = []
  /// Whose tables are compared with those of the peers, as a phrase.
  var side = "this store"
  /// Whether the tables are those of a database that is not a store yet.
  var isAttaching = false

  /// Returns the combined declarations of the peers.
  ///
  /// - Throws: `SyncError` with the code `mergeDisagreement` if two of them contradict each other.
  func declared(except own: PeerIdentity?) throws -> MergeOptions {
    let names = try names()
    var options = MergeOptions()
    var sources: [SQLName: PeerIdentity] = [:]
    var foreignKeySource: PeerIdentity?
    for manifest in manifests.others(than: own) {
      let peer = manifest.peer
      let path = manifests.directory.manifest(of: peer)
      let theirs = try MergeOptions(manifest.schema, at: path)
      if let said = theirs.foreignKeys {
        if let known = options.foreignKeys, known != said, !isGone(peer),
          !(foreignKeySource.map(isGone) ?? false)
        {
          throw disagreement(
            "peer \(foreignKeySource ?? peer) says \(known.rawValue), peer \(peer) \(said.rawValue)",
            path)
        }
        if options.foreignKeys == nil || !isGone(peer) {
          options.foreignKeys = said
          foreignKeySource = peer
        }
      }
      for (table, merge) in theirs.tables {
        if let source = sources[table],
          !merge.withFirstNames(of: table, names)
            .isEquivalent(to: options[table].withFirstNames(of: table, names))
        {
          if isGone(peer) { continue }
          if isGone(source) {
            sources[table] = peer
            options.tables[table] = merge
            continue
          }
          throw disagreement(
            table.text, "peer \(source) merges it \(options[table]), peer \(peer) \(merge)", path)
        }
        // Devices that have not renamed a column yet declare the same under other names.
        let known = sources[table] == nil ? nil : options.tables[table]
        sources[table] = peer
        options.tables[table] = names.isEmpty ? merge : known?.united(with: merge) ?? merge
      }
    }
    return options
  }

  /// Whether no store imports under an identity any more. Its tables then need not agree with the others.
  /// Called only where they do not.
  private func isGone(_ peer: PeerIdentity) -> Bool {
    manifests.all.goneIdentities.contains(peer)
  }

  /// What the peers' migrations have renamed and dropped.
  private func names() throws -> NameChanges {
    var names = NameChanges()
    for manifest in manifests.all.values where !manifest.schema.names.isEmpty {
      names.add(
        try manifest.schema.nameChanges(at: manifests.directory.manifest(of: manifest.peer)).all)
    }
    return names
  }

  /// Compares the declarations of a store with those of its peers, for the tables that both have.
  ///
  /// - Throws: `SyncError` with the code `mergeDisagreement`, which names the table, both sides and the
  ///   remedy.
  func check(_ tables: ReplicatedSchema, own: PeerIdentity) throws {
    if let disagreement = try disagreements(tables, own: own).first { throw disagreement }
  }

  /// Returns all disagreements: for each table, the first peer that declares something else.
  func disagreements(_ tables: ReplicatedSchema, own: PeerIdentity?) throws -> [SyncError] {
    var disagreements = try defaultDisagreements(tables, own: own)
    var names = tables.names
    names.add(try self.names().all)
    var named: Set<SQLName> = []
    var agreed: ManifestSchema?
    for manifest in manifests.others(than: own) {
      // Usually, all peers declare the same.
      if manifest.schema == agreed { continue }
      let count = disagreements.count
      defer { if disagreements.count == count { agreed = manifest.schema } }
      let path = manifests.directory.manifest(of: manifest.peer)
      let theirs = try MergeOptions(manifest.schema, at: path).named(as: tables, names)
      let here: ForeignKeys = tables.enforcesForeignKeys ? .enforce : .keep
      if let said = theirs.foreignKeys, said != here, !tables.tables.isEmpty,
        !isGone(manifest.peer),
        // No table has that name.
        named.insert("").inserted
      {
        disagreements.append(
          disagreement(
            "this store says \(here.rawValue), peer \(manifest.peer) \(said.rawValue)", path))
      }
      let shared = Set(
        manifest.schema.tables.map { table in
          if case .present(let name) = names.meaning(of: table, among: tables) {
            SQLName(name)
          } else {
            SQLName(table)
          }
        })
      for table in tables.tables where shared.contains(SQLName(table.name)) {
        var merge = theirs[table.name]
        if table.mergesByRow(whenDeclared: merge.merge) == table.mergesByRow {
          // One side has declared this, and the other has left it to the table.
          merge.merge = table.merge.merge
        }
        // The key differs, which `KeyAgreement` explains better.
        if isAttaching, (merge.knownBy == nil) != (table.knownBy == nil) { continue }
        guard !merge.isEquivalent(to: table.merge), !isGone(manifest.peer),
          named.insert(SQLName(table.name)).inserted
        else { continue }
        disagreements.append(
          disagreement(
            table.name, "this store merges it \(table.merge), peer \(manifest.peer) \(merge)", path)
        )
      }
    }
    return disagreements
  }

  /// Returns disagreements about defaults. A log that is older than a column implies the column's default:
  /// with different defaults, the devices would diverge. Tables and columns are matched under all names that
  /// migrations give them.
  func defaultDisagreements(
    _ tables: ReplicatedSchema, own: PeerIdentity?
  ) throws -> [SyncError] {
    var disagreements: [SyncError] = []
    let sql = Set(tables.tables.map(\.sql))
    var agreed: [String]?
    for manifest in manifests.others(than: own) {
      // Usually, all peers have the same text.
      if manifest.schema.sql == agreed { continue }
      let known = Set(manifest.schema.sql)
      if sql.isSubset(of: known) {
        agreed = manifest.schema.sql
        continue
      }
      let theirs = try PeerTables(manifest.schema, extensions: extensions)
      // Where that device does not replicate a table, it may have something else under the name.
      let replicated = Set(manifest.schema.tables.map { SQLName($0) })
      let names = try manifests.nameChanges(besides: tables.names)
      for table in tables.tables where table.refusal == nil && !known.contains(table.sql) {
        guard case .present(let name) = names.meaning(of: table.name, among: theirs.schema),
          replicated.contains(SQLName(name)), let other = theirs.schema.table(named: name),
          other.refusal == nil
        else { continue }
        let found = try defaultDisagreements(table, other, names, theirs, manifest)
        if !found.isEmpty, !isGone(manifest.peer) { disagreements += found }
      }
    }
    return disagreements
  }

  private func defaultDisagreements(
    _ table: TableDescription, _ other: TableDescription, _ names: NameChanges,
    _ theirs: PeerTables, _ manifest: PeerManifest
  ) throws -> [SyncError] {
    var disagreements: [SyncError] = []
    let here = TableRules(defaultsOf: table).defaults
    let there = TableRules(defaultsOf: other).defaults
    for column in table.shape.columns {
      guard case .present(let name) = names.meaning(of: column, in: table.name, among: other)
      else { continue }
      let (own, foreign) = (here[SQLName(column)], there[SQLName(name)])
      if try TableRules.areSame(own, foreign, theirs.connection) { continue }
      disagreements.append(
        SyncError(
          .mergeDisagreement,
          "the devices do not agree on the default of column \(column) of table \(table.name): \(side) "
            + "has \(own ?? "NULL"), peer \(manifest.peer) has \(foreign ?? "NULL")",
          path: manifests.directory.manifest(of: manifest.peer),
          remedy: isAttaching
            ? "move the database aside, and attach without it, which adopts the tables of the others, or give the column "
              + "the default of the others; if theirs is wrong, give a new column the right one"
            : "on the device that is wrong, run `tributary detach`, move the database aside, and attach again "
              + "without it, which adopts the tables of the others"))
    }
    return disagreements
  }

  private func disagreement(_ sides: String, _ path: String) -> SyncError {
    SyncError(
      .mergeDisagreement,
      "the devices do not agree whether foreign keys are enforced (--foreign-keys): \(sides)",
      path: path,
      remedy:
        "attach without --foreign-keys, which adopts what the others say; if the store has rows of its "
        + "own, run `tributary detach --remove-logs` before")
  }

  private func disagreement(_ table: String, _ sides: String, _ path: String) -> SyncError {
    SyncError(
      .mergeDisagreement, "the devices do not agree how table \(table) merges: \(sides)",
      path: path,
      remedy:
        "on the device that is wrong, run `tributary attach` again, which adopts what the others "
        + "declare; if it has written the table, run `tributary detach --remove-logs` before")
  }
}

extension MergeOptions {
  /// Reads the declarations of a manifest.
  ///
  /// - Throws: for unknown words.
  init(_ schema: ManifestSchema, at path: String) throws(SyncError) {
    self.init()
    foreignKeys = try Self.foreignKeys(schema, path)
    for (table, said) in schema.merge {
      var merge = TableMerge()
      if let word = said.merge { merge.merge = try Self.known(word, table, path) }
      if let word = said.keys { merge.keys = try Self.known(word, table, path) }
      if let word = said.numbers {
        guard let bits = TableMerge.positiveBits(of: word) else {
          throw Self.unknown(word, table, path)
        }
        merge.positiveBits = bits
      }
      if let word = said.rows {
        guard let knownBy = KnownBy(word: word) else { throw Self.unknown(word, table, path) }
        merge.knownBy = knownBy
      } else if let columns = said.unique {
        merge.knownBy = .unique(columns.map { SQLName($0) })
      }
      for (column, word) in said.columns {
        merge.columns[SQLName(column)] = try Self.known(word, table, path)
      }
      merge.identifyingColumns = Set((said.identify ?? []).map { SQLName($0) })
      for (column, reference) in said.references ?? [:] {
        merge.references[SQLName(column)] = DeclaredReference(reference.table, reference.column)
      }
      tables[SQLName(table)] = merge
    }
  }

  /// Returns how a manifest declares that foreign keys are used. A manifest without tables declares nothing.
  private static func foreignKeys(
    _ schema: ManifestSchema, _ path: String
  ) throws(SyncError) -> ForeignKeys? {
    guard let word = schema.foreignKeys else { return schema.tables.isEmpty ? nil : .enforce }
    if let known = ForeignKeys(rawValue: word) { return known }
    throw SyncError(
      .mergeDisagreement, "that peer treats foreign keys as \(word), which is not known here",
      path: path, remedy: "install the newer Tributary that it has")
  }

  private static func known<Rule: RawRepresentable<String>>(
    _ word: String, _ table: String, _ path: String
  ) throws(SyncError) -> Rule {
    if let rule = Rule(rawValue: word) { return rule }
    throw unknown(word, table, path)
  }

  private static func unknown(_ word: String, _ table: String, _ path: String) -> SyncError {
    SyncError(
      .mergeDisagreement, "that peer merges table \(table) by \(word), which is not known here",
      path: path, remedy: "install the newer Tributary that it has")
  }

  /// The declarations in the form of a manifest.
  var manifest: [String: ManifestMerge] {
    // `check` has refused names that are the same key in JSON.
    Dictionary(
      tables.filter { !$0.value.isEmpty }.map { table, merge in
        let columns = merge.columns.filter { $0.value != .latest }
        var said = ManifestMerge(
          merge: merge.merge?.rawValue, keys: merge.keys == .natural ? "natural" : nil,
          columns: Dictionary(
            columns.map { ($0.key.text, $0.value.rawValue) }, uniquingKeysWith: { $1 }),
          rows: merge.knownBy?.word, numbers: merge.positiveWord)
        if !merge.references.isEmpty {
          said.references = Dictionary(
            merge.references.map {
              ($0.key.text, .init(table: $0.value.table.text, column: $0.value.column.text))
            }, uniquingKeysWith: { $1 })
        }
        if !merge.identifyingColumns.isEmpty {
          said.identify = merge.identifyingColumns.sorted().map(\.text)
        }
        if case .unique(let columns) = merge.knownBy { said.unique = columns.map(\.text) }
        return (table.text, said)
      }, uniquingKeysWith: { $1 })
  }
}
