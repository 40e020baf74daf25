package import TributaryCore
import TributarySQLite

/// The transactions at which this store's file was copied from another one, until the store has an identity
/// of its own.
///
/// Everything that this store wrote up to such a transaction, the original has written too, and publishes
/// under the identity that both have now. A store that was copied again before it had its own identity has
/// more than one such mark.
package struct CopyTable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package struct Mark: Sendable, Equatable {
    /// The last transaction that the original also has.
    package var last: SequenceNumber
    /// The identity of the copy from there on; `nil` if it can no longer be read.
    package var next: PeerIdentity?
  }

  /// Returns the first mark; `nil` for a store with an identity of its own.
  package func first() throws -> Mark? {
    let statement = try connection.cached(
      "SELECT last, next FROM tributary_copy ORDER BY last LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Mark(
      last: SequenceNumber(UInt64(clamping: statement.integer(0))),
      next: PeerIdentity(bytes: statement.bytes(1)))
  }

  /// Whether there is a mark after a transaction.
  func contains(after last: SequenceNumber) throws -> Bool {
    let statement = try connection.cached("SELECT 1 FROM tributary_copy WHERE last = ?")
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: last.rawValue)), at: 1)
    return try statement.step()
  }

  package func add(after last: SequenceNumber, next: PeerIdentity) throws {
    try connection.cached("INSERT OR REPLACE INTO tributary_copy VALUES (?, ?)")
      .run(.integer(Int64(clamping: last.rawValue)), .blob(next.bytes))
  }
}
