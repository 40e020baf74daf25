import TributaryContainer
import TributaryCore
import TributaryMerge
import TributaryStore

/// Whether the author of a log numbers the rows of a table as this store does, as its `peer.json` says.
///
/// Where only one of two devices numbers them, two rows that get one number stay two on the one, and become one on the other.
/// So nothing of that table is imported from there.
///
/// It is a class, so that it is not copied for each row.
final class NumberingAgreement {
  private let manifests: PeerManifests
  private let memory: KnownPeerTables
  /// The SQLite extensions of the store that asks.
  private let extensions: [String]

  init(_ exchange: Exchange) {
    manifests = exchange.manifests
    memory = exchange.memory.tables
    extensions = exchange.connection.extensions
  }

  /// Checks one table.
  ///
  /// What a device has written that is gone is imported: nobody has the table like that any more, and all others make the
  /// same of it.
  ///
  /// - Parameter names: what the names of tables and columns mean, where they are not those here.
  /// - Throws: `MergeError` with the code `schema` if the two do not agree.
  func check(_ table: TableDescription, of peer: PeerIdentity, _ names: NameChanges) throws {
    // Mostly, both have the same text.
    guard let schema = manifests.all[peer]?.schema, !schema.sql.contains(table.sql) else { return }
    let theirs = try memory.tables(of: schema, extensions: extensions)
    guard case .present(let name) = names.meaning(of: table.name, among: theirs),
      schema.tables.contains(where: { SQLName($0) == SQLName(name) }),
      let other = theirs.table(named: name), other.refusal == nil,
      let difference = KeyDifference(table, other, names), case .numbering = difference,
      !manifests.all.goneIdentities.contains(peer)
    else { return }
    throw MergeError.otherKey(
      "\(difference.subject(of: table.name)) on the device that wrote this: \(difference.sides)",
      of: table.name)
  }
}
