import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Gives a store without any tables those of its peers. Such a store was attached before there was anything
/// from which to rebuild it.
struct BlankSchema {
  let connection: Connection

  func fill(from manifests: PeerManifests, own: PeerIdentity) throws {
    guard try SchemaTables.areNone(in: connection),
      let schema = SharedSchema(manifests: manifests).newest(except: own)
    else { return }
    // A misspelled name would let data leave this device that should have been left out.
    try TableSelection(connection).checkNames(
      among: PeerTables(schema, extensions: connection.extensions).schema.tables.map(\.name),
      path: connection.path)
    // The merge options come first: when the tables exist, it must be known how they merge.
    let merge = try MergeOptions(schema, at: manifests.directory.peers)
    let isBlank = try connection.immediate {
      // The application may have created tables meanwhile and declared how they merge.
      guard try SchemaTables.areNone(in: connection) else { return false }
      try merge.write(to: connection)
      return true
    }
    guard isBlank else { return }
    do {
      let unmade = try SchemaStatements.run(schema, at: connection.path)
      try connection.immediate {
        try UnmadeObjects(connection).write(unmade)
        try Migration.writeDown(names: schema.migrations, in: connection)
        // A store that named no tables shares those that its peers share.
        if try TableSelection(connection) == .all {
          try schema.selection(in: connection).write(to: connection)
        }
        let selection = try TableSelection(connection)
        for table in schema.copies where !selection.includes(table.name) {
          try table.fill(connection)
        }
        try CopiedTables(connection).write(schema.copies)
        // Other connections read the tables again only if the schema has changed.
        try connection.execute("CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal")
      }
    } catch let error as SQLiteError {
      // Another process may have been first. Then all tables exist.
      guard try !SchemaTables.areNone(in: connection) else { throw error }
    }
  }
}
