import TributaryContainer
import TributaryCore
import TributaryStore

/// Tables and columns that this store has under two names, although a migration of some device states that
/// the two are one.
///
/// This happens if a database of a newer version joins before the other devices have run the migration that
/// renames: it takes the old name beside the new one. From then on, the other devices show in one place what
/// this store shows in two.
struct TwofoldNames {
  let manifests: PeerManifests
  /// Whether the database is not a store yet. Then nothing is lost if its owner merges the two into one.
  var isAttaching = false

  /// Returns what the store has under two names, with the remedy.
  ///
  /// - Parameter tables: the tables of the store that take part.
  func findings(in tables: ReplicatedSchema, own: PeerIdentity) throws -> [Refusal] {
    var names = tables.names
    let declarations = try declarations(own: own)
    for declaration in declarations { names.add(declaration.names.all) }
    if names.isEmpty { return [] }
    var findings: [Refusal] = []
    for group in groups(tables.tables.map(\.name), by: { names.newestName(ofTable: $0) }) {
      let author = declarations.first { $0.names.names(of: SQLName(group[0])).count > 1 }
      findings.append(
        finding(
          "tables \(Self.list(group))", "table", author?.peer,
          newest: names.newestName(ofTable: SQLName(group[0])).text))
    }
    for table in tables.tables where table.refusal == nil {
      let name = SQLName(table.name)
      let columns = table.shape.columns
      for group in groups(columns, by: { names.newestName(ofColumn: $0, of: name) }) {
        let author = declarations.first {
          $0.names.names(ofColumn: SQLName(group[0]), of: name).count > 1
        }
        findings.append(
          finding(
            "columns \(Self.list(group)) of table \(table.name)", "column", author?.peer,
            newest: names.newestName(ofColumn: SQLName(group[0]), of: name).text))
      }
    }
    return findings
  }

  /// What the migrations of a device have renamed.
  private struct Declaration {
    var peer: String
    var names: NameChanges
  }

  /// Returns what the other devices declare, in order of peer, and then what this store declares itself.
  private func declarations(own: PeerIdentity) throws -> [Declaration] {
    let named = manifests.all.values.filter { !$0.schema.names.isEmpty }
    return try named.sorted {
      ($0.peer == own ? 1 : 0, $0.peer) < ($1.peer == own ? 1 : 0, $1.peer)
    }
    .map { manifest in
      Declaration(
        peer: "\(manifest.peer) (\(manifest.name.debugDescription))",
        names: try manifest.schema.nameChanges(at: manifests.directory.manifest(of: manifest.peer)))
    }
  }

  /// Returns the groups of names that mean the same, each group in order.
  private func groups(_ all: [String], by newest: (SQLName) -> SQLName) -> [[String]] {
    Dictionary(grouping: all) { newest(SQLName($0)) }.values.filter { $0.count > 1 }
      .map { $0.sorted(byBytesOf: \.self) }.sorted { $0[0] < $1[0] }
  }

  private static func list(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  private func finding(
    _ phrase: String, _ kind: String, _ peer: String?, newest: String
  ) -> Refusal {
    let both =
      "\(phrase) are one \(kind) by a migration"
      + (peer.map { " that has run on peer \($0)" } ?? "")
    guard !isAttaching else {
      return Refusal(
        "\(both), and this database has both: the other devices would show only one of them",
        remedy:
          "copy what is to stay into \(kind) \(newest), drop the other one, and attach again; or move the file aside, and "
          + "attach without it")
    }
    return Refusal(
      "\(both), and this store has both: it does not show what the other devices show",
      remedy:
        "run `tributary detach` here, move the file aside, and run `tributary attach` again without it: the logs have "
        + "the rows, and the store then has one \(kind), as the others do")
  }
}
