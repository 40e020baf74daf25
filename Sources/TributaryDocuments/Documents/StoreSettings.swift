import TributaryCore
internal import TributarySQLite
internal import TributaryStore

/// What was declared about a store and also applies to a copy of it.
struct StoreSettings {
  let options: DocumentOptions

  /// Reads them in a store.
  init(of path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    var options = DocumentOptions()
    options.merge = try MergeOptions(connection)
    options.tables = try TableSelection(connection)
    options.capture = try Settings(connection).captureMethod()
    options.followsSchema = try FollowedSchema(connection).isFollowing
    options.peerName = try Settings(connection).identity().peerName
    options.formerMigrations = try Migration.applied(in: connection).map(\.name)
    self.options = options
  }
}
