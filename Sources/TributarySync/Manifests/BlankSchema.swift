import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Gives a store without any tables those that its peers have: it was attached before there was
/// anything to be rebuilt from.
struct BlankSchema {
  let connection: Connection

  func fill(from manifests: PeerManifests, own: PeerIdentity) throws {
    guard try SchemaTables.areNone(in: connection),
      let schema = SharedSchema(manifests: manifests).newest(except: own)
    else { return }
    // First, so that whoever sees the tables sees how they merge.
    let merge = try MergeOptions(schema.merge, at: manifests.directory.peers)
    try connection.immediate { try merge.write(to: connection) }
    do {
      try SchemaStatements.run(schema.sql, at: connection.path)
    } catch let error as SQLiteError {
      // Another process may have been first; then all of them are there.
      guard try !SchemaTables.areNone(in: connection) else { throw error }
    }
  }
}
