import TributaryCore
import TributarySQLite

/// What a store knows about the other peers, now and at the time of each of its own transactions.
package struct KnowledgeTable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A peer whose transactions have been imported.
  package struct Peer: Sendable {
    package var peer: PeerIdentity
    package var sequence: SequenceNumber
    /// The time of the last transaction.
    package var time: HybridTime

    package init(peer: PeerIdentity, sequence: SequenceNumber, time: HybridTime) {
      self.peer = peer
      self.sequence = sequence
      self.time = time
    }
  }

  /// What a connection has read. A synchronisation asks for it many times.
  private struct Known: Sendable {
    /// In ascending order.
    var peers: [Peer]
    var knowledge: Knowledge
  }

  /// Returns all known peers, excluding this store itself, in ascending order.
  ///
  /// - Complexity: O(1) if there was no commit since the connection last read them.
  package func peers() throws -> [Peer] { try known().peers }

  /// Returns the current knowledge of other peers.
  ///
  /// - Complexity: as `peers`.
  package func current() throws -> Knowledge { try known().knowledge }

  private func known() throws -> Known {
    try connection.remembered {
      let peers = try read()
      return Known(
        peers: peers,
        knowledge: Knowledge(
          peers.lazy.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) }))
    }
  }

  private func read() throws -> [Peer] {
    let statement = try connection.cached("SELECT peer, sequence, time FROM tributary_peer")
    defer { statement.reset() }
    var peers: [Peer] = []
    while try statement.step() {
      guard let peer = statement.peer(0), let sequence = statement.sequence(1),
        statement.type(2) == .integer
      else { throw damaged("tributary_peer") }
      peers.append(
        Peer(
          peer: peer, sequence: sequence,
          time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(2)))))
    }
    return peers.sorted { $0.peer < $1.peer }
  }

  private func damaged(_ table: String) -> StoreError {
    .damaged("a row of \(table) is invalid", path: connection.path)
  }

  /// Checks that the current knowledge of each peer matches what the last import from it recorded.
  ///
  /// - Complexity: O(peers); O(1) if there was no commit since the last check.
  /// - Throws: `StoreError` with the code `damaged`.
  package func checkConsistent() throws { _ = try connection.remembered(checked) }

  private struct Checked: Sendable {}

  private func checked() throws -> Checked {
    // Knowledge of no peer has a number in a gap between those of two peers, or beyond the last one. The numbers
    // have few gaps.
    let statement = try connection.cached(
      """
      SELECT 1 FROM tributary_peer AS p
      WHERE sequence IS NOT (
        SELECT sequence FROM tributary_knowledge AS k WHERE k.peer = p.id
        ORDER BY after DESC LIMIT 1)
      OR NOT EXISTS (SELECT 1 FROM tributary_peer WHERE id = p.id - 1) AND EXISTS (
        SELECT 1 FROM tributary_knowledge AS k WHERE k.peer < p.id
        AND k.peer > coalesce((SELECT max(id) FROM tributary_peer WHERE id < p.id), -1 << 63))
      UNION ALL
      SELECT 1 FROM tributary_knowledge
      WHERE peer > (SELECT coalesce(max(id), -1 << 63) FROM tributary_peer)
      LIMIT 1
      """)
    defer { statement.reset() }
    if try statement.step() {
      throw StoreError.damaged(
        "tributary_peer and tributary_knowledge contradict each other", path: connection.path)
    }
    return Checked()
  }

  /// Returns the largest time seen from other peers.
  package func latestTime() throws -> HybridTime {
    // Times have 64 bits and are compared as unsigned here, not by SQLite.
    try peers().map(\.time).max() ?? .zero
  }

  /// Records that the transactions of `peer` up to `sequence` have been imported.
  ///
  /// - Parameter after: the store's own last sequence number; later own transactions know about the import.
  package func advance(
    _ peer: PeerIdentity, to sequence: SequenceNumber, time: HybridTime, after: SequenceNumber
  ) throws {
    try connection.cached(
      """
      INSERT INTO tributary_peer (peer, sequence, time) VALUES (?1, ?2, ?3)
      ON CONFLICT (peer) DO UPDATE SET sequence = ?2, time = ?3
      """
    ).run(
      .blob(peer.bytes), .integer(Int64(sequence.rawValue)),
      .integer(Int64(bitPattern: time.rawValue)))
    try connection.cached(
      """
      INSERT OR REPLACE INTO tributary_knowledge (peer, after, sequence)
      SELECT id, ?2, ?3 FROM tributary_peer WHERE peer = ?1
      """
    ).run(
      .blob(peer.bytes), .integer(Int64(after.rawValue)), .integer(Int64(sequence.rawValue)))
  }

  /// Returns the sequence number of the first own transaction, past or future, that knows the log of a peer
  /// beyond `sequence`; `nil` if there can be none.
  package func firstKnowing(
    _ peer: PeerIdentity, beyond sequence: SequenceNumber
  ) throws -> SequenceNumber? {
    try connection.integer(
      """
      SELECT min(k.after) FROM tributary_knowledge AS k JOIN tributary_peer AS p ON p.id = k.peer
      WHERE p.peer = ? AND k.sequence > ?
      """, .blob(peer.bytes), .integer(Int64(sequence.rawValue))
    ).map { SequenceNumber(UInt64(clamping: $0)).next }
  }

  /// Records that what was imported from `peer` after `sequence` was not its log.
  package func setBack(
    _ peer: PeerIdentity, to sequence: SequenceNumber, time: HybridTime
  ) throws {
    let limit = Value.integer(Int64(sequence.rawValue))
    try connection.cached(
      """
      UPDATE tributary_knowledge SET sequence = min(sequence, ?)
      WHERE peer = (SELECT id FROM tributary_peer WHERE peer = ?)
      """
    ).run(limit, .blob(peer.bytes))
    try connection.cached("UPDATE tributary_peer SET sequence = ?, time = ? WHERE peer = ?").run(
      limit, .integer(Int64(bitPattern: time.rawValue)), .blob(peer.bytes))
    try connection.execute(
      "DELETE FROM tributary_knowledge WHERE sequence = 0; DELETE FROM tributary_peer WHERE sequence = 0"
    )
  }

  /// Adds the new name for everything known under the former one, at the same places. Some of it may already
  /// be known under the new name.
  package func rename(_ renaming: Renaming) throws {
    let (former, new) = (Value.blob(renaming.former.bytes), Value.blob(renaming.new.bytes))
    let last = Value.integer(Int64(renaming.last.rawValue))
    try connection.cached(
      """
      INSERT INTO tributary_peer (peer, sequence, time)
      SELECT ?1, sequence - ?3, time FROM tributary_peer WHERE peer = ?2 AND sequence > ?3
      ON CONFLICT (peer) DO UPDATE SET sequence = excluded.sequence, time = excluded.time
      WHERE excluded.sequence > sequence
      """
    ).run(new, former, last)
    try connection.cached(
      """
      INSERT INTO tributary_knowledge (peer, after, sequence)
      SELECT n.id, k.after, k.sequence - ?3
      FROM tributary_peer AS n, tributary_peer AS f JOIN tributary_knowledge AS k ON k.peer = f.id
      WHERE n.peer = ?1 AND f.peer = ?2 AND k.sequence > ?3
      ON CONFLICT (peer, after) DO UPDATE SET sequence = max(sequence, excluded.sequence)
      """
    ).run(new, former, last)
    // Each step is higher than those before it.
    try connection.cached(
      """
      DELETE FROM tributary_knowledge AS k
      WHERE peer = (SELECT id FROM tributary_peer WHERE peer = ?) AND EXISTS (
        SELECT 1 FROM tributary_knowledge AS o
        WHERE o.peer = k.peer AND o.after < k.after AND o.sequence >= k.sequence)
      """
    ).run(new)
  }

  /// Makes the store's own transactions up to `sequence` know nothing about imports that came before the
  /// first of them.
  package func hide(from sequence: SequenceNumber) throws {
    try connection.cached("UPDATE tributary_knowledge SET after = ?1 WHERE after < ?1")
      .run(.integer(Int64(sequence.rawValue)))
  }

  /// Returns the knowledge of the own transaction `sequence`.
  package func at(_ sequence: SequenceNumber) throws -> Knowledge {
    let statement = try connection.cached(
      """
      SELECT p.peer, max(k.sequence), p.sequence
      FROM tributary_knowledge AS k JOIN tributary_peer AS p ON p.id = k.peer
      WHERE k.after < ? GROUP BY k.peer
      """)
    defer { statement.reset() }
    try statement.bind(Int64(sequence.rawValue), at: 1)
    var knowledge = Knowledge()
    while try statement.step() {
      guard let peer = statement.peer(0), let sequence = statement.sequence(1),
        statement.integer(1) <= statement.integer(2)
      else { throw damaged("tributary_knowledge") }
      knowledge[peer] = sequence
    }
    return knowledge
  }

  /// Returns the steps by which knowledge rose between own transactions: the sequence number after which each
  /// step came, and the new knowledge.
  package func steps(
    after first: SequenceNumber, before last: SequenceNumber
  ) throws -> [(after: SequenceNumber, entry: Knowledge.Entry)] {
    let statement = try connection.cached(
      """
      SELECT k.after, p.peer, k.sequence, p.sequence
      FROM tributary_knowledge AS k JOIN tributary_peer AS p ON p.id = k.peer
      WHERE k.after >= ? AND k.after < ? ORDER BY k.after
      """)
    defer { statement.reset() }
    try statement.bind(Int64(first.rawValue), at: 1)
    try statement.bind(Int64(last.rawValue), at: 2)
    var steps: [(after: SequenceNumber, entry: Knowledge.Entry)] = []
    while try statement.step() {
      guard let peer = statement.peer(1), let sequence = statement.sequence(2),
        statement.integer(2) <= statement.integer(3)
      else { throw damaged("tributary_knowledge") }
      steps.append(
        (
          SequenceNumber(UInt64(clamping: statement.integer(0))),
          Knowledge.Entry(peer: peer, sequence: sequence)
        ))
    }
    return steps
  }
}
