import TributaryCore
import TributaryLog
import TributarySQLite

/// Gives a store another identity.
///
/// Transactions that other peers may have imported under the former identity stay as they are, as those of an
/// ordinary peer. What the store has written beyond them becomes its own first transactions, with the same
/// times. Both identities have the same lineage, so stamps keep their order, and all contents, conflicts and
/// fresh numbers stay the same.
package struct IdentityChange {
  private let connection: Connection
  private let renaming: Renaming
  private let isShared: Bool
  private let isLeft: Bool
  private let takenOver: (peer: PeerIdentity, last: SequenceNumber)?

  /// Makes a change of identity.
  ///
  /// - Parameters:
  ///   - isShared: whether any other peer may have seen, under the former identity, the transactions that are
  ///     issued again.
  ///   - isLeft: whether no store has the former identity any more.
  ///   - takenOver: a copy of this store that has issued again the first transactions that this store wrote
  ///     after the common part, and the last number of these transactions in the copy. They stay with that
  ///     peer.
  package init(
    _ connection: Connection, _ renaming: Renaming, isShared: Bool = true,
    isLeft: Bool = false,
    takenOver: (peer: PeerIdentity, last: SequenceNumber)? = nil
  ) {
    self.connection = connection
    self.renaming = renaming
    self.isShared = isShared
    self.isLeft = isLeft
    self.takenOver = takenOver
  }

  /// Changes all bookkeeping, within the open transaction.
  ///
  /// - Returns: the number of transactions that were issued again.
  /// - Complexity: O(own transactions + conflicts + held rows).
  package func perform(milliseconds: UInt64) throws -> UInt64 {
    guard let takenOver else { return try rename(milliseconds) }
    // This works as if the store had become that peer, and then a different one after the common part.
    _ = try IdentityChange(
      connection,
      Renaming(former: renaming.former, last: renaming.last, new: takenOver.peer),
      isLeft: isLeft
    ).rename(milliseconds)
    let reissued = try IdentityChange(
      connection, Renaming(former: takenOver.peer, last: takenOver.last, new: renaming.new)
    ).rename(milliseconds)
    // The identity was never this store's, but it may now be the name of what this store had seen of its own
    // transactions.
    try run(
      "UPDATE tributary_former SET shared = ? WHERE peer = ?",
      .integer(FormerIdentities.others), .blob(takenOver.peer.bytes))
    return reissued
  }

  private func rename(_ milliseconds: UInt64) throws -> UInt64 {
    let outbox = Outbox(connection)
    let reissued = (try outbox.last()?.sequence.rawValue ?? 0).subtractingClamped(last)
    let time =
      last == 0 ? nil : try outbox.records(from: renaming.last, to: renaming.last).first?.time
    try renameFormers(reissued, milliseconds)
    try renumberKnowledge()
    // What the store has issued again may have been imported before.
    if let time, try KnowledgeTable(connection).current()[renaming.former] < renaming.last {
      try KnowledgeTable(connection).advance(
        renaming.former, to: renaming.last, time: time, after: .zero)
    }
    try renumberOutbox()
    try renumberCopies()
    try renumberSettings()
    try renameSides()
    try renameViews()
    let settings = Settings(connection)
    try settings.set(.peer, .blob(renaming.new.bytes))
    try settings.set(.nextPeer, nil)
    try settings.set(.left, nil)
    return reissued
  }

  private var last: UInt64 { renaming.last.rawValue }
  private var lastValue: Value { .integer(Int64(last)) }
  private var former: Value { .blob(renaming.former.bytes) }
  private var new: Value { .blob(renaming.new.bytes) }

  private func run(_ sql: String, _ values: Value...) throws {
    let statement = try connection.prepare(sql)
    try statement.bind(values)
    try statement.run()
  }

  private func renameFormers(_ reissued: UInt64, _ milliseconds: UInt64) throws {
    try run("UPDATE tributary_former SET last = last + ?", lastValue)
    try run(
      // Later than all earlier ones, whatever the clock says: this orders the names of a transaction.
      """
      INSERT OR REPLACE INTO tributary_former
      VALUES (?, ?, ?, ?, max(?, (SELECT ifnull(max(until) + 1, 0) FROM tributary_former)))
      """, former, lastValue,
      .integer(Int64(clamping: last + reissued)),
      .integer((isShared ? FormerIdentities.shared : 0) | (isLeft ? FormerIdentities.left : 0)),
      .integer(Int64(clamping: milliseconds)))
    try run(
      "INSERT OR IGNORE INTO tributary_withdrawal SELECT ?, name, 0 FROM tributary_segment WHERE last > ?",
      former, lastValue)
    try run("DELETE FROM tributary_segment")
  }

  /// Renumbers knowledge: what was known before the first reissued transaction was known to its author at
  /// transaction 1.
  private func renumberKnowledge() throws {
    try run(
      """
      CREATE TEMP TABLE tributary_renumbered AS
      SELECT peer, max(0, after - ?) AS after, max(sequence) AS sequence FROM tributary_knowledge
      GROUP BY 1, 2
      """, lastValue)
    try run("DELETE FROM tributary_knowledge")
    try run(
      "INSERT INTO tributary_knowledge SELECT peer, after, sequence FROM temp.tributary_renumbered")
    try run("DROP TABLE temp.tributary_renumbered")
  }

  private func renumberOutbox() throws {
    for table in ["outbox", "outbox_piece"] {
      try run("DELETE FROM tributary_\(table) WHERE sequence <= ?", lastValue)
      // By then, the row before has freed its number.
      try run("UPDATE tributary_\(table) SET sequence = sequence - ?", lastValue)
    }
    try renameBases()
  }

  /// Gives the versions on which own transactions were based their present names.
  package func renameBases() throws {
    try rewrite("SELECT sequence, basis FROM tributary_outbox WHERE basis IS NOT NULL") { row in
      guard case .blob(let bytes) = row[1], let basis = Self.knowledge(bytes) else { return }
      try run(
        "UPDATE tributary_outbox SET basis = ? WHERE sequence = ?",
        .blob(renaming.renamed(basis).encoded), row[0])
    }
  }

  private func renumberCopies() throws {
    try run("DELETE FROM tributary_copy WHERE last <= ? OR next = ?", lastValue, new)
    try run("UPDATE tributary_copy SET last = last - ?", lastValue)
  }

  private func renumberSettings() throws {
    let settings = Settings(connection)
    for key in [Settings.Key.examined, .numberings] {
      guard let number = try settings.integer(key) else { continue }
      try settings.set(key, .integer(max(0, number - Int64(last))))
    }
  }

  /// Renames the transactions in other bookkeeping.
  private func renameSides() throws {
    for (table, prefix) in [
      ("conflict", "winner_"), ("conflict", "loser_"), ("claim", ""), ("birth", ""),
    ] {
      try run(
        // What a copy has issued again may already have been imported under its new name.
        """
        UPDATE OR REPLACE tributary_\(table) SET \(prefix)peer = ?, \(prefix)sequence = \(prefix)sequence - ?
        WHERE \(prefix)peer = ? AND \(prefix)sequence > ?
        """, new, lastValue, former, lastValue)
    }
    let isNamed = "instr(columns, ?) > 0"
    for (table, column, key) in [
      ("conflict", "columns", ["ended", "\"table\"", "row", "id"]),
      ("held", "cells", ["\"table\"", "key"]),
    ] {
      try rewrite(
        "SELECT \(column), \(key.joined(separator: ", ")) FROM tributary_\(table) WHERE "
          + isNamed.replacing("columns", with: column), former
      ) { row in
        guard case .blob(let bytes) = row[0] else { return }
        let cells = try bytes.withUnsafeBytes { try Conflict.Cell.renamed($0, by: renaming) }
        let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
        let statement = try connection.prepare(
          "UPDATE tributary_\(table) SET \(column) = ? WHERE \(condition)")
        try statement.bind([.blob(cells)] + row.dropFirst())
        try statement.run()
      }
    }
  }

  /// Renames what the authors of numberings had seen of this store's transactions.
  private func renameViews() throws {
    try rewrite(
      "SELECT view, \"table\", number, sequence FROM tributary_birth WHERE peer = ?", new
    ) { row in
      guard case .blob(let bytes) = row[0], let view = Self.knowledge(bytes) else { return }
      try run(
        """
        UPDATE tributary_birth SET view = ?
        WHERE "table" = ? AND number = ? AND sequence = ? AND peer = ?
        """, .blob(renaming.renamed(view).encoded), row[1], row[2], row[3], new)
    }
  }

  /// Rewrites rows after reading all of them.
  private func rewrite(_ query: String, _ values: Value..., body: ([Value]) throws -> Void) throws {
    let statement = try connection.prepare(query)
    try statement.bind(values)
    var rows: [[Value]] = []
    while try statement.step() {
      rows.append(statement.values)
    }
    statement.reset()
    for row in rows { try body(row) }
  }

  private static func knowledge(_ bytes: [UInt8]) -> Knowledge? {
    bytes.withUnsafeBytes { Knowledge(decoding: $0) }
  }
}

extension UInt64 {
  fileprivate func subtractingClamped(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
