public import TributaryCore
public import TributarySQLite

/// The identities that a store had before it found that others have written under them too.
public struct FormerIdentities {
  private let connection: Connection

  public init(_ connection: Connection) { self.connection = connection }

  public struct Former: Sendable, Equatable {
    public var peer: PeerIdentity
    /// Its transactions after this one were issued again by this store as 1, 2, 3 ….
    public var last: SequenceNumber
    /// The last one of these.
    public var reissued: SequenceNumber
    /// Others may have seen those under the former identity.
    public var isShared: Bool
    /// Nobody else has that identity.
    public var isLeft: Bool
  }

  static let shared: Int64 = 1
  static let left: Int64 = 2
  static let others: Int64 = 4

  /// In ascending order of peer.
  public func all() throws -> [Former] {
    try read("WHERE shared & \(Self.others) = 0 ORDER BY peer")
  }

  /// What the store's transactions were called before, one after the other, the oldest first; with the
  /// identities of copies that have issued some of them again.
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
