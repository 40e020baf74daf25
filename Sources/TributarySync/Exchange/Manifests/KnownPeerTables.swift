import Synchronization
import TributaryContainer
import TributaryStore

/// The tables of peers as one session has read them: to make the tables of a schema costs more than an import of one
/// commit.
final class KnownPeerTables: Sendable {
  private let known = Mutex<[ManifestSchema: ReplicatedSchema]>([:])

  /// With more different schemas than that, the tables are made anew.
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
