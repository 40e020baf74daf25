import Synchronization
import TributaryContainer
import TributaryStore

/// The tables of peers as one session has read them: creating the tables of a schema costs more than
/// importing one commit.
final class KnownPeerTables: Sendable {
  private let known = Mutex<[ManifestSchema: ReplicatedSchema]>([:])

  /// If there are more different schemas than this, the tables are created again.
  private static let limit = 16

  /// Returns the tables of a schema.
  ///
  /// - Parameter extensions: the SQLite extensions of the store that asks.
  func tables(of schema: ManifestSchema, extensions: [String]) throws -> ReplicatedSchema {
    if let tables = known.withLock({ $0[schema] }) { return tables }
    let tables = try PeerTables(schema, extensions: extensions).schema
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[schema] = tables
    }
    return tables
  }
}
