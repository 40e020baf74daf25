import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Compares the declared types of columns outside the keys with those of the peers. Each device converts what
/// it imports to its own types, so that equal logs may show as different values and the digests may differ.
struct TypeAgreement {
  let manifests: PeerManifests
  /// The SQLite extensions of the store that asks.
  var extensions: [String] = []

  /// A column that some peers have with another type.
  struct Finding {
    var peers: [PeerIdentity]
    var refusal: Refusal
  }

  private struct Difference: Hashable {
    var table: String
    var column: String
    var here: Affinity
    var there: Affinity
  }

  /// Returns the differences. Peers that differ in the same way share one finding. Peers that are gone are
  /// left out, since they import nothing any more.
  func findings(in tables: ReplicatedSchema, own: PeerIdentity) throws -> [Finding] {
    let names = try manifests.nameChanges(besides: tables.names)
    let gone = manifests.all.goneIdentities
    var known: [ManifestSchema: [Difference]] = [:]
    var found: [(difference: Difference, peers: [PeerIdentity])] = []
    for manifest in manifests.others(than: own) where !gone.contains(manifest.peer) {
      let differences =
        try known[manifest.schema] ?? differences(tables, from: manifest.schema, names)
      known[manifest.schema] = differences
      for difference in differences {
        if let place = found.firstIndex(where: { $0.difference == difference }) {
          found[place].peers.append(manifest.peer)
        } else {
          found.append((difference, [manifest.peer]))
        }
      }
    }
    return found.map { Finding(peers: $0.peers, refusal: Self.refusal($0.difference, $0.peers)) }
  }

  private func differences(
    _ tables: ReplicatedSchema, from schema: ManifestSchema, _ names: NameChanges
  ) throws -> [Difference] {
    let known = Set(schema.sql)
    let open = tables.tables.filter { $0.refusal == nil && !known.contains($0.sql) }
    if open.isEmpty { return [] }
    let theirs = try PeerTables(schema, extensions: extensions).schema
    let replicated = Set(schema.tables.map { SQLName($0) })
    return open.flatMap { table -> [Difference] in
      guard case .present(let name) = names.meaning(of: table.name, among: theirs),
        replicated.contains(SQLName(name)), let other = theirs.table(named: name),
        other.refusal == nil
      else { return [] }
      return Self.differences(table, other, names)
    }
  }

  private static func differences(
    _ table: TableDescription, _ other: TableDescription, _ names: NameChanges
  ) -> [Difference] {
    let (here, there) = (table.affinities, other.affinities)
    let keys = Set(table.shape.keys.map(\.column))
    return table.shape.columns.enumerated().compactMap { place, column in
      guard !keys.contains(place),
        case .present(let name) = names.meaning(of: column, in: table.name, among: other),
        let position = other.shape.position(of: name),
        !here[place].keepsValues(of: there[position])
      else { return nil }
      return Difference(
        table: table.name, column: column, here: here[place], there: there[position])
    }
  }

  private static func refusal(_ difference: Difference, _ peers: [PeerIdentity]) -> Refusal {
    let names = peers.map(\.description).joined(separator: ", ")
    return Refusal(
      "column \(difference.column) of table \(difference.table) is \(difference.here.word) here, and "
        + "\(difference.there.word) on \(peers.count == 1 ? "peer" : "peers") \(names): each converts what it imports, so "
        + "that the values, and the digests, may differ",
      remedy:
        "run the migration that gives the column one type on all devices; where `tributary verify` then finds "
        + "differences, run `tributary rebuild`")
  }
}
