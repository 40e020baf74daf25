public import TributaryCore
public import TributarySQLite

/// A store's former identities, which it left when it found that another store wrote under them
/// too.
public struct FormerIdentities {
  private let connection: Connection

  public init(_ connection: Connection) { self.connection = connection }

  public struct Former: Sendable, Equatable {
    public var peer: PeerIdentity
    /// The last transaction that stays with the identity. This store has issued its later ones
    /// again as 1, 2, 3 ….
    public var last: SequenceNumber
    /// The last of the transactions that were issued again.
    public var reissued: SequenceNumber
    /// Whether other peers may have seen those under the former identity.
    public var isShared: Bool
    /// Whether no other store has that identity.
    public var isLeft: Bool
  }

  static let shared: Int64 = 1
  static let left: Int64 = 2
  static let others: Int64 = 4

  /// Returns the former identities, in ascending order of peer.
  public func all() throws -> [Former] {
    try read("WHERE shared & \(Self.others) = 0 ORDER BY peer")
  }

  /// Returns the former names of the store's transactions, the oldest first, including the identities of
  /// copies that have issued some of them again.
  public func path() throws -> [Former] { try read("ORDER BY last DESC, until") }

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
