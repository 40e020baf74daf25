package import TributaryCore
import TributarySQLite

/// A store's former identities, which it left when it found that another store also wrote under them.
package struct FormerIdentities {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package struct Former: Sendable, Equatable {
    package var peer: PeerIdentity
    /// The last transaction that stays with the identity. This store has issued its later transactions again
    /// as 1, 2, 3 ….
    package var last: SequenceNumber
    /// The last of the transactions that were issued again.
    package var reissued: SequenceNumber
    /// Whether other peers may have seen the reissued transactions under the former identity.
    package var isShared: Bool
    /// Whether no other store has that identity.
    package var isLeft: Bool
  }

  static let shared: Int64 = 1
  static let left: Int64 = 2
  static let others: Int64 = 4

  /// Returns the former identities, in ascending order of peer.
  package func all() throws -> [Former] {
    try read("WHERE shared & \(Self.others) = 0 ORDER BY peer")
  }

  /// Returns the former names of the store's transactions, the oldest first. They include the identities of
  /// copies that have issued some of the transactions again.
  package func path() throws -> [Former] { try read("ORDER BY last DESC, until") }

  private func read(_ condition: String) throws -> [Former] {
    let statement = try connection.cached(
      "SELECT peer, last, reissued, shared FROM tributary_former \(condition)")
    defer { statement.reset() }
    var all: [Former] = []
    while try statement.step() {
      guard let peer = PeerIdentity(bytes: statement.bytes(0)) else { continue }
      all.append(
        Former(
          peer: peer, last: SequenceNumber(UInt64(clamping: statement.integer(1))),
          reissued: SequenceNumber(UInt64(clamping: statement.integer(2))),
          isShared: statement.integer(3) & Self.shared != 0,
          isLeft: statement.integer(3) & Self.left != 0))
    }
    return all
  }
}
