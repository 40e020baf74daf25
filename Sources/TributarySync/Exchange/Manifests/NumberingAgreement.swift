import TributaryContainer
import TributaryCore
import TributaryMerge
import TributaryStore

/// Checks whether the author of a log numbers the rows of a table as this store does, according to its
/// `peer.json`.
///
/// If only one of two devices numbers them, two rows with the same number stay two rows on that device and
/// become one on the other. So nothing of that table is imported from such an author.
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
  /// What a device that is gone has written is imported: no device has the table in that form any more, and
  /// all others treat those rows alike.
  ///
  /// - Parameter names: what the names of tables and columns mean, where they differ from those here.
  /// - Throws: `MergeError` with the code `schema` if the two do not agree.
  func check(_ table: TableDescription, of peer: PeerIdentity, _ names: NameChanges) throws {
    // Usually, both have the same text.
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
