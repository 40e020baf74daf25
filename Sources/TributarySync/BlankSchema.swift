import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Gives a store without any tables those that its peers have: it was attached before there was anything
/// to be rebuilt from.
struct BlankSchema {
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory

  func fill(from listing: ContentListing, own: PeerIdentity) throws {
    guard
      try connection.integer(
        """
        SELECT count(*) FROM sqlite_schema
        WHERE name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """) == 0,
      let schema = SharedSchema(directory, environment).newest(in: listing, except: own)
    else { return }
    try connection.immediate {
      for statement in schema.sql { try connection.execute(statement) }
    }
  }
}
