import TributaryCore
import TributarySQLite

/// What shows that somebody has committed to a store.
package struct ObservedState: Hashable, Sendable {
  /// Differs after each commit of another connection than the one that reads it.
  package var version: Int64
  package var peer: PeerIdentity
  /// The store's last transaction.
  package var sequence: SequenceNumber
  /// The number of the last import.
  package var entry: Int64
  package var schemaVersion: Int64
  /// Whether rows are held, so that a write may show others that it does not record.
  package var hasHeldRows: Bool

  package init(_ connection: Connection) throws {
    // First: what is committed meanwhile shows at the next look.
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
