import TributaryContainer
import TributaryCore
import TributaryStore

/// The types of keys that peers have, compared with those of a database that is to be attached. A key that is a text on one
/// device and a number on another is never the same: whatever names such rows would wait on both sides.
struct KeyAgreement {
  let manifests: PeerManifests
  /// The SQLite extensions of the store that asks.
  var extensions: [String] = []

  /// Returns a refusal for each table whose key no other device has like that, though some share the table.
  ///
  /// - Parameter path: the path of the database.
  func refusals(
    of tables: ReplicatedSchema, own: PeerIdentity, path: String
  ) throws -> [AttachRefusal] {
    var agreed: Set<SQLName> = []
    var found: [SQLName: AttachRefusal] = [:]
    let gone = manifests.all.goneIdentities
    for manifest in manifests.others(than: own) where !gone.contains(manifest.peer) {
      let known = Set(manifest.schema.sql)
      let replicated = Set(manifest.schema.tables.map { SQLName($0) })
      var theirs: PeerTables?
      for table in tables.tables where table.refusal == nil && table.knownBy == nil {
        let name = SQLName(table.name)
        if known.contains(table.sql) {
          if replicated.contains(name) { agreed.insert(name) }
          continue
        }
        if agreed.contains(name) { continue }
        let made = try theirs ?? PeerTables(manifest.schema, extensions: extensions)
        theirs = made
        let names = try manifests.nameChanges(besides: tables.names)
        guard case .present(let present) = names.meaning(of: table.name, among: made.schema),
          replicated.contains(SQLName(present)), let other = made.schema.table(named: present),
          other.refusal == nil, other.knownBy == nil
        else { continue }
        if let difference = Self.difference(table, other) {
          found[name] = found[name] ?? refusal(table.name, difference, manifest, path)
        } else {
          agreed.insert(name)
        }
      }
    }
    return found.filter { !agreed.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns what differs in the types of the keys of two tables, as a phrase; `nil` if nothing does.
  private static func difference(_ table: TableDescription, _ other: TableDescription) -> String? {
    guard table.shape.keys.count == other.shape.keys.count else { return nil }
    let (here, there) = (table.affinities, other.affinities)
    for (key, theirs) in zip(table.shape.keys, other.shape.keys) {
      let (own, foreign) = (here[key.column], there[theirs.column])
      if own != .blob, foreign != .blob,
        [.text, .real].contains(where: { (own == $0) != (foreign == $0) })
      {
        return
          "column \(table.shape.columns[key.column]) is \(own.rawValue.uppercased()) here, and "
          + "\(foreign.rawValue.uppercased()) there"
      }
    }
    return nil
  }

  private func refusal(
    _ table: String, _ difference: String, _ manifest: PeerManifest, _ path: String
  ) -> AttachRefusal {
    AttachRefusal(
      SyncError(
        .contradiction,
        "the key of table \(table) has another type than on peer \(manifest.peer) "
          + "(\(manifest.name.debugDescription)): \(difference)", path: path,
        remedy:
          "give the table the key of the others, give it another name, or leave it out with "
          + "--except \(table)"
      ), table: table, options: [.except(table)])
  }
}
