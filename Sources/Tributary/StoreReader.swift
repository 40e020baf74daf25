public import TributaryCore
public import TributarySQLite
import TributaryStore

/// A store that is only read. Nothing is written to the database or beside it, nothing is published or
/// imported, and neither the container nor the schema is needed. Another process may have the store open.
///
///     let reader = try StoreReader(at: path)
///     let count = try reader.read { db in try db.query("SELECT count(*) FROM album")[0][0] }
public final class StoreReader: Sendable {
  /// The absolute path of the database.
  public var path: String { local.path }
  /// The name of the logical database.
  public let contentName: String
  /// The identity of the store as a writer, as it was when this reader was opened.
  public let peer: PeerIdentity

  let local: LocalReader
  /// The asynchronous reads.
  let turns = Turns()

  /// Opens a store for reading.
  ///
  /// - Parameters:
  ///   - path: the path of the store's database.
  ///   - prepare: as in `StoreOptions`; `nil` leaves unchanged how this process prepares connections to the
  ///     file.
  /// - Throws: `StoreError` with the code `notAttached` if there is no store at the path; `SQLiteError` for a file that cannot be read.
  public init(
    at path: String, prepare: (@Sendable (borrowing ConnectionSetup) throws -> Void)? = nil
  ) throws {
    try StorePath.check(path)
    let path = StorePath.absolute(path)
    if let prepare {
      let preparation = ConnectionPreparation(body: prepare, trace: nil)
      try preparation.rehearse(for: path)
      Connection.setPreparation(preparation, ofDatabase: path)
    }
    local = try LocalReader(path: path)
    let identity = try local.identity()
    contentName = identity.contentName
    peer = identity.peer
  }

  /// Runs `body` on a snapshot of the database, on this thread. Any number of threads may read at once.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try local.read(body)
  }

  /// Closes the store: later reads throw `StoreError` with the code `closed`. Running reads continue to their
  /// end.
  public func close() { local.close() }
}
