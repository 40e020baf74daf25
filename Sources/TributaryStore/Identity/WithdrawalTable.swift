package import TributaryCore
import TributarySQLite

/// The segments that a store must remove from the container: segments of its former identities, and its own
/// segments whose transactions are in another segment.
package struct WithdrawalTable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the segments in the directories of identities other than the current one.
  package func former(except own: PeerIdentity) throws -> [(peer: PeerIdentity, name: String)] {
    let statement = try connection.cached(
      "SELECT peer, name FROM tributary_withdrawal WHERE peer <> ?")
    defer { statement.reset() }
    try statement.bind(.blob(own.bytes), at: 1)
    var all: [(peer: PeerIdentity, name: String)] = []
    while try statement.step() {
      guard let peer = PeerIdentity(bytes: statement.bytes(0)) else { continue }
      all.append((peer, statement.string(1)))
    }
    return all
  }

  /// Returns the segments in the directory of one identity, in ascending order, each with the time since
  /// which it is due for removal, in milliseconds since 1970.
  package func all(of peer: PeerIdentity) throws -> [(name: String, since: Int64)] {
    let statement = try connection.cached(
      "SELECT name, since FROM tributary_withdrawal WHERE peer = ? ORDER BY name")
    defer { statement.reset() }
    try statement.bind(.blob(peer.bytes), at: 1)
    var all: [(name: String, since: Int64)] = []
    while try statement.step() { all.append((statement.string(0), statement.integer(1))) }
    return all
  }

  /// Records that a segment must be removed; a segment already recorded keeps its time.
  package func add(_ name: String, of peer: PeerIdentity, since: Int64) throws {
    try connection.atomic {
      try connection.cached("INSERT OR IGNORE INTO tributary_withdrawal VALUES (?, ?, ?)")
        .run(.blob(peer.bytes), .string(name), .integer(since))
    }
  }

  /// Records that a segment has been removed, or must not be removed any more.
  package func remove(_ name: String, of peer: PeerIdentity) throws {
    try connection.atomic {
      try connection.cached("DELETE FROM tributary_withdrawal WHERE peer = ? AND name = ?")
        .run(.blob(peer.bytes), .string(name))
    }
  }

  /// Cancels the removal of all segments of one identity.
  package func removeAll(of peer: PeerIdentity) throws {
    try connection.atomic {
      try connection.cached("DELETE FROM tributary_withdrawal WHERE peer = ?")
        .run(.blob(peer.bytes))
    }
  }
}
