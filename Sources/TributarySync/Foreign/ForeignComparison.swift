import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Finds what other programs have written into a store while nothing captured it: compares the tables with
/// what the logs say, and has the store record the differences as a transaction of its own.
struct ForeignComparison {
  let path: String
  let environment: Environment

  /// A program that writes all the time is not waited for any longer.
  private static let mostAttempts = 10

  /// Compares the tables that are suspected, if any are.
  ///
  /// - Throws: also where logs are missing; the tables then stay suspected, and nothing is imported into
  ///   them.
  func run(_ store: LocalStore) throws {
    for _ in 0..<Self.mostAttempts {
      guard let tables = try suspected(store) else { return }
      try store.recordForeignWrites()
      let found: Moment?
      do {
        found = try compare(tables)
      } catch let error as SyncError {
        // Nothing says that anybody has written; and nothing could say what.
        let canNeverBe = error.code == .logsMissing || error.code == .forked
        if try !canNeverBe || !isOnlyPossible(store) { throw error }
        return
      }
      guard let moment = found else { continue }
      let isDone = try note(moment, tables, store)
      try store.recordForeignWrites()
      if isDone { return }
    }
    throw SyncError(
      .inUse,
      "a program writes all the time and nothing captures it, so that the tables cannot be "
        + "compared with the logs", path: path,
      remedy:
        "synchronise when it rests, or have it captured: `tributary attach` with --capture triggers"
    )
  }

  /// Looks for what nothing has captured, and changes nothing.
  ///
  /// - Returns: how many rows are other ones than the logs say, and their tables.
  func find() throws -> (rows: Int, tables: [String])? {
    let tables = try Connection(path: path, mode: .readWrite).replicatedTables()
    return try compare(tables).map { ($0.differences.count, $0.tables) }
  }

  /// `nil` where there is nothing to compare.
  private func suspected(_ store: LocalStore) throws -> Set<SQLName>? {
    try store.service { connection in
      let capture = ForeignCapture(connection)
      let named = try Set(capture.suspected().map { SQLName($0) })
      guard try capture.isBroken() else { return named.isEmpty ? nil : named }
      return try connection.immediate {
        guard try capture.isBroken() else { return named.isEmpty ? nil : named }
        return try connection.replicatedTables().union(named)
      }
    }
  }

  /// Takes what may have been written for what is there, where it cannot be compared: the file was copied, or
  /// brought back from a backup, so that neither the log nor the time of the file tells.
  private func isOnlyPossible(_ store: LocalStore) throws -> Bool {
    try store.background { connection in
      try connection.immediate {
        let capture = ForeignCapture(connection)
        guard try !capture.isUsed(), try capture.suspected().isEmpty, try !capture.isCertain()
        else {
          return false
        }
        try capture.vouch()
        return true
      }
    }
  }

  /// Whether the tables show what the logs say, but for what other programs have written.
  ///
  /// - Throws: `SyncError` where something has to be settled before: other stores have written under this
  ///   one's identity, or that of a peer, or the devices do not agree how tables merge.
  private func checkComparable(_ replay: LogReplay, _ connection: Connection) throws {
    let identity = try StoreIdentity(reading: connection)
    let directory = try identity.directory()
    let (branches, listing) = try replay.branches(identity, directory)
    let manifests = ManifestCache().read(listing, in: directory, for: identity.peer, environment)
    try MergeAgreement(manifests: manifests).check(
      ReplicatedSchema(connection, selection: TableSelection(connection)), own: identity.peer)
    let finding = try OwnLog(
      identity: identity, connection: connection, environment: environment, directory: directory,
      agreement: SegmentAgreement(), times: SegmentTimes()
    ).compare(listing, manifests, branches)
    let selection = try branches.select(from: listing, known: KnowledgeTable(connection).peers())
    guard finding == .continues, try CopyTable(connection).first() == nil, selection.strayed.isEmpty
    else {
      throw SyncError(
        .forked,
        "several stores have written under one identity, so that its tables cannot be "
          + "compared with the logs", path: path,
        remedy: "run `tributary sync` until that is settled")
    }
  }

  /// What a comparison has found, and how far the store was then.
  private struct Moment {
    var knowledge: Knowledge
    var own: SequenceNumber
    var end: LogPlace?
    var differences: [FoundDifference]

    var tables: [String] { Set(differences.map { SQLName($0.table) }).sorted().map(\.text) }
  }

  private func compare(_ tables: Set<SQLName>) throws -> Moment? {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA query_only = ON")
    // Having read something it has the log at hand.
    _ = try ForeignCapture(connection).isPending()
    let end = try connection.logHead()?.place
    return try connection.snapshot {
      // What has been journalled since would be found a second time.
      if try ForeignCapture(connection).isPending() { return nil }
      // Otherwise it is not known what this transaction sees.
      guard try connection.logHead()?.place == end else { return nil }
      let selection = try TableSelection(connection)
      let definition = try MergeDefinition(of: connection, selection: selection)
      let replay = LogReplay(path: path, connection: connection, environment: environment)
      try checkComparable(replay, connection)
      _ = try replay.forEachTransaction { stream, head in
        let transaction = BatchTransaction(head, of: stream.peer)
        while let change = try stream.nextChange() {
          let shape = stream.shape(change.shapeID)
          guard tables.contains(SQLName(shape.table)) else { continue }
          try definition.apply(change, shape: shape, by: transaction)
        }
      }
      var differences: [FoundDifference] = []
      for table in try ReplicatedSchema(connection, selection: selection).tables
      where table.refusal == nil && tables.contains(SQLName(table.name)) {
        try collect(table, definition, connection, &differences)
      }
      return Moment(
        knowledge: try KnowledgeTable(connection).current(),
        own: try Outbox(connection).last()?.sequence ?? .zero, end: end, differences: differences)
    }
  }

  private func collect(
    _ table: TableDescription, _ definition: MergeDefinition, _ connection: Connection,
    _ differences: inout [FoundDifference]
  ) throws {
    let reader = RowReader(table)
    var last: (key: [Value], cells: [String: Value])?
    func close() {
      guard let row = last else { return }
      last = nil
      differences.append(
        FoundDifference(table: table.name, key: row.key, kind: .updated(row.cells)))
    }
    try definition.forEachDifference(table) { key, column, stored, expected in
      if let column {
        if let row = last, zip(row.key, key).allSatisfy({ $0.hasSameBits(as: $1) }) {
          last?.cells[column] = expected ?? .null
        } else {
          close()
          last = (key, [column: expected ?? .null])
        }
        return
      }
      close()
      let isThere = try reader.row(key, in: connection) != nil
      // A held row that could be visible is not there either, and nobody has deleted it.
      if stored != nil, isThere {
        differences.append(FoundDifference(table: table.name, key: key, kind: .inserted))
      } else if stored == nil, !isThere, try !definition.isHeld(key, table) {
        differences.append(FoundDifference(table: table.name, key: key, kind: .deleted))
      }
    }
    close()
  }

  /// - Returns: false where more may have been written since the comparison.
  private func note(
    _ moment: Moment, _ tables: Set<SQLName>, _ store: LocalStore
  ) throws -> Bool {
    try store.background { connection in
      try connection.immediate {
        let capture = ForeignCapture(connection)
        guard try KnowledgeTable(connection).current() == moment.knowledge,
          try Outbox(connection).last()?.sequence ?? .zero == moment.own,
          try !capture.isPending()
        else { return false }
        let isUsed = try capture.isUsed()
        if isUsed, try Set(capture.suspected().map { SQLName($0) }) != tables { return false }
        try capture.note(
          moment.differences,
          ReplicatedSchema(connection, selection: TableSelection(connection)))
        if !moment.differences.isEmpty {
          try UncapturedWrites(
            milliseconds: environment.clock.milliseconds(), rows: moment.differences.count,
            tables: moment.tables
          ).write(to: Settings(connection))
        }
        // Without triggers, nothing else says that nobody has written since.
        guard try isUsed || connection.logHead()?.place == moment.end else { return false }
        try capture.acquit()
        return true
      }
    }
  }
}

extension Connection {
  fileprivate func replicatedTables() throws -> Set<SQLName> {
    let schema = try ReplicatedSchema(self, selection: TableSelection(self))
    return Set(schema.tables.filter { $0.refusal == nil }.map { SQLName($0.name) })
  }
}
