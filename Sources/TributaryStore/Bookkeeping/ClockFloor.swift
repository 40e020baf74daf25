import TributaryCore
import TributarySQLite

/// A time before which a store never writes again, although its bookkeeping no longer has the transaction of
/// that time: the store has issued that transaction again under another identity, with an earlier time.
package struct ClockFloor {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the time; zero if there is none.
  package func time() throws -> HybridTime {
    HybridTime(
      rawValue: UInt64(bitPattern: try Settings(connection).integer(.clock) ?? 0))
  }

  /// Raises the time to that of the latest transaction that the store has written or imported.
  package func raise() throws {
    let time = max(
      try self.time(), try Outbox(connection).last()?.time ?? .zero,
      try KnowledgeTable(connection).latestTime())
    try Settings(connection).set(.clock, .integer(Int64(bitPattern: time.rawValue)))
  }
}
