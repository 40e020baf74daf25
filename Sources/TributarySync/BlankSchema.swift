import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Gives a store without any tables those that its peers have: it was attached before there was
/// anything to be rebuilt from.
struct BlankSchema {
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory

  func fill(from listing: ContentListing, own: PeerIdentity) throws {
    guard try SchemaTables.areNone(in: connection),
      let schema = SharedSchema(directory, environment).newest(in: listing, except: own)
    else { return }
    try SchemaStatements.run(schema.sql, at: connection.path)
  }
}
