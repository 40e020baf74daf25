import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Writes the baseline that declares a horizon, of exactly what the horizon contains.
///
/// A store that has more makes another store beside it, as a new device would: from the last baseline that
/// has nothing beyond the horizon, and from segments. This also shows, before anything is removed, that the
/// files that are there are enough.
struct HorizonBaseline {
  /// The exchange, with a connection for this purpose alone, and a current listing.
  let exchange: Exchange
  /// The path of the store.
  let store: String
  let declaration: Declaration

  /// Writes the baseline.
  ///
  /// - Throws: `SyncError` if the store differs from what the logs say, or if they do not contain all of the
  ///   horizon.
  func write() throws -> BaselineReport {
    let writer = BaselineWriter(exchange: exchange, store: store, declaration: declaration)
    if case .written(let report) = try writer.write() { return report }
    let file = LocalFile(store + ScratchFiles.horizon)
    let report = try make(at: file.path)
    let connection = try Connection(path: file.path, mode: .readWrite)
    defer { connection.close() }
    guard try isExact(connection) else { throw missing(report.waiting.first) }
    let image = LocalFile(store + ScratchFiles.baseline)
    // SQLite attaches an empty file as an empty database, and creates none here.
    _ = try image.write()
    let rows = try BaselineImage.write(from: connection, to: image.path) {
      try BaselineFacts.read(connection)
    }
    guard let rows else { throw missing(nil) }
    return try writer.publish(image, declaration.horizonEntries, rows: rows)
  }

  private func make(at path: String) throws -> AttachReport {
    var request = AttachRequest(
      store: path, container: exchange.directory.container,
      contentName: exchange.identity.contentName)
    request.contentRoot = exchange.identity.contentRoot
    request.tables = try TableSelection(exchange.connection)
    var identity = exchange.identity
    // What this store has written is in its segments, too.
    identity.peer = exchange.environment.makeIdentity()
    let manifests = ManifestCache().read(
      exchange.listing, in: exchange.directory, exchange.environment)
    return try Joiner(
      request: request, identity: identity, environment: exchange.environment,
      directory: exchange.directory, listing: exchange.listing, manifests: manifests,
      progress: nil,
      // Others may have dropped what this store still has.
      schema: manifests.all[exchange.own].map(\.schema).flatMap { $0.sql.isEmpty ? nil : $0 },
      horizon: declaration.horizon,
      declarations: KnownHorizons.remembered(by: exchange.connection)
    ).join(exists: false)
  }

  /// Whether a store has exactly what is to be declared.
  private func isExact(_ connection: Connection) throws -> Bool {
    try KnowledgeTable(connection).peers().map {
      BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: $0.time)
    } == declaration.horizonEntries
  }

  private func missing(_ waiting: Waiting?) -> SyncError {
    SyncError(
      .logsMissing,
      "the baseline of the horizon on which the devices have agreed cannot be made: not all logs before it are "
        + "in the container" + (waiting.map { " (\($0))" } ?? ""),
      path: exchange.directory.peers,
      remedy: "wait until the carrier has brought them; nothing is removed before")
  }
}
