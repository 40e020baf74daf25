import TributaryCore
import TributarySQLite

/// The state that shows whether there has been a commit to a store.
package struct ObservedState: Hashable, Sendable {
  /// Changes with each commit of a connection other than the one that reads it.
  package var version: Int64
  package var peer: PeerIdentity
  /// The store's last transaction.
  package var sequence: SequenceNumber
  /// The number of the last import.
  package var entry: Int64
  package var schemaVersion: Int64
  /// Whether rows are held, so that a write may make other rows visible without recording them.
  package var hasHeldRows: Bool

  package init(_ connection: Connection) throws {
    // Read first, so that a commit in the meantime shows at the next check.
    let version = try connection.integer("PRAGMA data_version") ?? 0
    self = try connection.snapshotOrPresent {
      try ObservedState(version: version, reading: connection)
    }
  }

  private init(version: Int64, reading connection: Connection) throws {
    self.version = version
    peer = try Settings(connection).peer()
    sequence = try Outbox(connection).last()?.sequence ?? .zero
    entry = try connection.integer("SELECT max(id) FROM tributary_import") ?? 0
    schemaVersion = try connection.integer("PRAGMA main.schema_version") ?? 0
    hasHeldRows = try !HeldTable.isEmpty(connection)
  }
}

extension Connection {
  fileprivate func snapshotOrPresent<Result>(_ body: () throws -> Result) throws -> Result {
    isInTransaction ? try body() : try snapshot(body)
  }
}
