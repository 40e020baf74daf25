import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

extension SyncDevices {
  /// Attaches a store that follows the schemas of the others, and opens it.
  func openFollowing(
    _ name: String, _ script: String? = nil, tables: TableSelection? = nil,
    capture: CaptureMethod? = nil, horizons: HorizonPolicy = HorizonPolicy()
  ) throws -> SyncSession {
    var request = AttachRequest(store: path(name), container: container, contentName: "C")
    if let script { request.migrations = [Migration(name: "1", sql: script)] }
    request.tables = tables
    request.capture = capture
    request.followsSchema = true
    _ = try Engine.attach(request)
    var environment = StoreEnvironment()
    environment.horizons = horizons
    return try SyncSession(store: path(name), environment: environment)
  }

  /// Forges a statement of the schema in the file of a peer.
  func addStatement(_ sql: String, of session: SyncSession) throws {
    let directory = ContentDirectory(
      container: container, root: .standard, name: try ContentName("C"))
    var manifest = try #require(
      try PeerManifest.read(of: session.store.peer, in: directory, using: LocalFileSystem()))
    manifest.schema.sql.append(sql)
    #expect(try manifest.publish(in: directory, using: LocalFileSystem()))
  }

  func removeManifest(of session: SyncSession) throws {
    let directory = ContentDirectory(
      container: container, root: .standard, name: try ContentName("C"))
    try LocalFileSystem().remove(directory.manifest(of: session.store.peer))
  }
}

extension SyncSession {
  /// The statements that make the tables, indexes, triggers and views of the application.
  func objects() throws -> [String] {
    try rows(
      """
      SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'
      AND name NOT LIKE 'tributary%' ORDER BY 1
      """)
  }

  /// The reasons why something waits, after a synchronisation.
  func reasonsToWait() throws -> [String] { try synchronize().waiting.map { "\($0)" } }
}
