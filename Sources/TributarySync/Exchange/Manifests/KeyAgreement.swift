import TributaryContainer
import TributaryCore
import TributaryStore

/// Compares the keys that peers have with those of a database that is to be attached. If other columns, other
/// collations or another order make up the key, or if two devices derive different keys from one value,
/// everything that names such rows would wait on both sides.
struct KeyAgreement {
  let manifests: PeerManifests
  /// The SQLite extensions of the store that compares.
  var extensions: [String] = []

  /// Returns a refusal for each table that other devices share, but none with the same key.
  ///
  /// - Parameter path: the path of the database.
  func refusals(
    of tables: ReplicatedSchema, own: PeerIdentity, path: String
  ) throws -> [AttachRefusal] {
    let names = try manifests.nameChanges(besides: tables.names)
    let gone = manifests.all.goneIdentities
    let others = manifests.others(than: own)
    var verdicts: [SQLName: AttachRefusal?] = [:]
    // The tables of devices that are gone count only if no other device has the table.
    for isGone in [false, true] {
      let open = tables.tables.filter {
        $0.refusal == nil && verdicts[SQLName($0.name)] == nil
      }
      var seen: Set<ManifestSchema> = []
      for manifest in others
      where gone.contains(manifest.peer) == isGone && seen.insert(manifest.schema).inserted {
        try compare(open, with: manifest, names, path, &verdicts)
      }
    }
    return verdicts.sorted { $0.key < $1.key }.compactMap(\.value)
  }

  /// Compares some tables with those of a peer.
  ///
  /// - Parameter verdicts: for each table, a refusal, or `nil` if some peer has the same key.
  private func compare(
    _ tables: [TableDescription], with manifest: PeerManifest, _ names: NameChanges,
    _ path: String, _ verdicts: inout [SQLName: AttachRefusal?]
  ) throws {
    let known = Set(manifest.schema.sql)
    let replicated = Set(manifest.schema.tables.map { SQLName($0) })
    var theirs: PeerTables?
    for table in tables {
      let name = SQLName(table.name)
      if let verdict = verdicts[name], verdict == nil { continue }
      // A UNIQUE key may come from an index.
      if table.knownBy == nil, known.contains(table.sql) {
        if replicated.contains(name) { verdicts[name] = .some(nil) }
        continue
      }
      let made = try theirs ?? PeerTables(manifest.schema, extensions: extensions)
      theirs = made
      guard case .present(let present) = names.meaning(of: table.name, among: made.schema),
        replicated.contains(SQLName(present)), let other = made.schema.table(named: present),
        other.refusal == nil, Self.areComparable(table, other)
      else { continue }
      if let difference = KeyDifference(table, other, names) {
        if verdicts[name] == nil {
          verdicts[name] = refusal(table.name, difference, manifest, path)
        }
      } else {
        verdicts[name] = .some(nil)
      }
    }
  }

  /// Whether the keys of two tables can be compared. If something else identifies the rows, it is declared,
  /// and the declarations are compared.
  private static func areComparable(_ table: TableDescription, _ other: TableDescription) -> Bool {
    switch (table.knownBy, other.knownBy) {
    case (nil, _), (_, nil): true
    case (.unique(let columns), .unique(let others)): columns == others
    default: false
    }
  }

  private func refusal(
    _ table: String, _ difference: KeyDifference, _ manifest: PeerManifest, _ path: String
  ) -> AttachRefusal {
    let option = AttachOption.except(table)
    return AttachRefusal(
      SyncError(
        .contradiction,
        "\(difference.subject(of: table)) than on peer \(manifest.peer) "
          + "(\(manifest.name.debugDescription)): \(difference.sides)", path: path,
        remedy:
          "give the table the key of the others, give it another name, or leave it out with \(option)"
      ), table: table, options: [option])
  }
}
