import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Compares tables of a store with the logs. Changes nothing.
struct LogComparison {
  let path: String
  let environment: StoreEnvironment

  /// The findings of a comparison, and the state of the store at that moment.
  struct Moment {
    var knowledge: Knowledge
    var own: SequenceNumber
    /// The end of the write-ahead log; `nil` if there is no log that connections share.
    var end: LogPlace?
    var differences: [FoundDifference]
    /// The tables in which rows have NULL in their key.
    var keyless: Set<SQLName>

    var tables: [String] { Set(differences.map { SQLName($0.table) }).sorted().map(\.text) }
  }

  /// Compares the tables.
  ///
  /// - Returns: `nil` if something must be recorded first, or if another connection has just committed.
  /// - Throws: `SyncError` if logs are missing, or have changed since they were imported; `StoreError` for a
  ///   damaged database.
  /// - Complexity: the same as that of `verify`; memory grows with the differences.
  func run(_ tables: Set<SQLName>) throws -> Moment? {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA query_only = ON")
    // The connection can access the log only after it has read something.
    _ = try ForeignCapture(connection).isPending()
    let end = try connection.logHead()?.place
    return try connection.snapshot {
      // What has been journalled since would be found a second time.
      if try ForeignCapture(connection).isPending() { return nil }
      // Otherwise, it is unknown what this transaction sees.
      guard try connection.logHead()?.place == end else { return nil }
      let selection = try TableSelection(connection)
      let definition = try replay(tables, connection, selection)
      var differences: [FoundDifference] = []
      var keyless: Set<SQLName> = []
      for table in try ReplicatedSchema(connection, selection: selection).tables
      where table.refusal == nil && tables.contains(SQLName(table.name)) {
        let hasKeyless = try KeylessRows(connection).refusal(of: table) != nil
        if hasKeyless { keyless.insert(SQLName(table.name)) }
        try collect(table, definition, connection, takingAbsent: !hasKeyless, &differences)
      }
      if !differences.isEmpty { try checkWhole(connection) }
      return Moment(
        knowledge: try KnowledgeTable(connection).current(),
        own: try Outbox(connection).last()?.sequence ?? .zero, end: end, differences: differences,
        keyless: keyless)
    }
  }

  private func replay(
    _ tables: Set<SQLName>, _ connection: Connection, _ selection: TableSelection
  ) throws -> MergeDefinition {
    let replay = LogReplay(path: path, connection: connection, environment: environment)
    try checkAgreement(connection)
    let (definition, _, last) = try replay.definition(selection: selection, tables: tables)
    for peer in try KnowledgeTable(connection).peers()
    where peer.sequence > .zero && last[peer.peer] != peer.time {
      throw isStrayed(peer.peer)
    }
    return definition
  }

  /// Checks that all devices agree how tables merge, and that the logs are still those that were imported.
  /// Only then do the tables show what the logs say, except for what other programs have written.
  private func checkAgreement(_ connection: Connection) throws {
    let exchange = try Exchange(of: connection, environment)
    try MergeAgreement(manifests: exchange.manifests).check(
      ReplicatedSchema(connection, selection: TableSelection(connection)), own: exchange.own)
    let selection = try exchange.selection()
    if let peer = selection.strayed.keys.min() { throw isStrayed(peer) }
  }

  /// Checks that the file is intact: damage is not another program's write.
  private func checkWhole(_ connection: Connection) throws {
    try IntegrityCheck(connection: connection).forEachError { text in
      // A program may have written such rows without the constraint.
      if text.hasPrefix("NULL value in") || text.hasPrefix("CHECK constraint") { return true }
      throw StoreError.damaged(
        "the database is damaged (\(text)), so that it cannot be determined what other programs have written",
        path: path)
    }
  }

  private func isStrayed(_ peer: PeerIdentity) -> SyncError {
    SyncError(
      .forked,
      "the store has imported transactions of \(peer) that differ from those in the container now, so that "
        + "its tables cannot be compared with the logs", path: path,
      remedy: "run `tributary rebuild`, which keeps in a file what no log has")
  }

  /// Collects the differences of one table.
  ///
  /// - Parameter isSure: whether a missing row has been deleted. Otherwise, it may have got NULL in its key.
  private func collect(
    _ table: TableDescription, _ definition: MergeDefinition, _ connection: Connection,
    takingAbsent isSure: Bool, _ differences: inout [FoundDifference]
  ) throws {
    let reader = RowReader(table)
    var last: (key: [Value], cells: [SQLName: Value])?
    func close() {
      guard let row = last else { return }
      last = nil
      differences.append(
        FoundDifference(table: table.name, key: row.key, kind: .updated(row.cells)))
    }
    try definition.forEachDifference(table) { key, column, stored, expected in
      if let column {
        // No program has written the recorded values of a held row.
        if try definition.isHeld(key, table) { return }
        if let row = last, zip(row.key, key).allSatisfy({ $0.hasSameBits(as: $1) }) {
          last?.cells[SQLName(column)] = expected ?? .null
        } else {
          close()
          last = (key, [SQLName(column): expected ?? .null])
        }
        return
      }
      close()
      let isThere = try reader.row(key, in: connection) != nil
      // A held row that could be visible is missing too, but no program has deleted it.
      if stored != nil, isThere {
        differences.append(FoundDifference(table: table.name, key: key, kind: .inserted))
      } else if isSure, stored == nil, !isThere, try !definition.isHeld(key, table) {
        differences.append(FoundDifference(table: table.name, key: key, kind: .deleted))
      }
    }
    close()
  }
}
