package import TributaryCore
package import TributarySQLite

/// Where this store's file was copied from another one, until it has an identity of its own.
///
/// What it wrote up to there the original has written as well, and publishes under the identity that
/// both have now. Where it was copied again before it had its own, there is more than one place.
package struct CopyTable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package struct Mark: Sendable, Equatable {
    /// The last transaction that the original has, too.
    package var last: SequenceNumber
    /// What the copy is to be from there on; `nil` where that cannot be read any more.
    package var next: PeerIdentity?
  }

  /// The first one; `nil` for a store with an identity of its own.
  package func first() throws -> Mark? {
    let statement = try connection.cached(
      "SELECT last, next FROM tributary_copy ORDER BY last LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Mark(
      last: SequenceNumber(UInt64(clamping: statement.integer(0))),
      next: PeerIdentity(bytes: statement.bytes(1)))
  }

  package func add(after last: SequenceNumber, next: PeerIdentity) throws {
    try connection.cached("INSERT OR REPLACE INTO tributary_copy VALUES (?, ?)")
      .run(.integer(Int64(clamping: last.rawValue)), .blob(next.bytes))
  }
}
