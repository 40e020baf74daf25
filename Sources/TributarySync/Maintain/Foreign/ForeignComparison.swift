import TributaryCore
import TributarySQLite
import TributaryStore

/// Finds what other programs have written into a store while nothing captured it: compares the tables with
/// the logs, and makes the store record the differences as a transaction of its own.
struct ForeignComparison {
  let store: LocalStore
  let environment: StoreEnvironment
  /// Whether the store was just found to be a copy, or restored from a backup. Then the time of the file says
  /// nothing.
  var isRestored = false

  /// After this many attempts, the comparison gives up waiting for a program that keeps writing.
  private static let mostAttempts = 10

  /// After a comparison that took less than this, other programs can be made to wait for the next one.
  private static let waitLimit = Duration.seconds(1)

  /// Compares the suspected tables, if there are any.
  ///
  /// - Returns: what was found.
  /// - Throws: also if logs are missing. The tables then stay suspected, and nothing is imported into them.
  func run() throws -> SyncReport.Uncaptured? {
    var found: SyncReport.Uncaptured?
    var time: Duration?
    for _ in 0..<Self.mostAttempts {
      guard let tables = try suspected() else { return found }
      try store.recordForeignWrites()
      let isExclusive = time.map { $0 < Self.waitLimit } ?? false
      let isDone = try attempt(tables, isExclusive: isExclusive, &time) {
        found = found?.appending($0) ?? $0
      }
      try store.recordForeignWrites()
      if isDone { return found }
    }
    throw SyncError(
      .inUse,
      "a program writes all the time and nothing captures it, so that the tables cannot be "
        + "compared with the logs", path: store.path,
      remedy:
        "synchronise while it is idle, or have it captured: `tributary attach` with --capture triggers"
    )
  }

  /// Compares the tables once.
  ///
  /// - Parameter isExclusive: whether no other program may write meanwhile.
  /// - Parameter time: set to the duration of the comparison.
  /// - Returns: whether everything is known.
  private func attempt(
    _ tables: Set<SQLName>, isExclusive: Bool, _ time: inout Duration?,
    _ didFind: (SyncReport.Uncaptured) -> Void
  ) throws -> Bool {
    let comparison = LogComparison(path: store.path, environment: environment)
    let start = ContinuousClock.now
    do {
      if isExclusive {
        return try store.background { connection in
          try connection.immediate {
            guard let moment = try environment.holdingWriteLock({ try comparison.run(tables) })
            else { return false }
            return try note(moment, tables, connection, didFind)
          }
        }
      }
      let moment = try comparison.run(tables)
      time = ContinuousClock.now - start
      guard let moment else { return false }
      return try store.background { connection in
        try connection.immediate { try note(moment, tables, connection, didFind) }
      }
    } catch let error as SyncError where error.code == .logsMissing || error.code == .forked {
      // Nothing shows that any program has written, and nothing could show what it wrote.
      guard try isOnlyPossible(isLacking: error.code == .logsMissing) else { throw error }
      return true
    }
  }

  /// Returns the suspected tables; `nil` if there is nothing to compare.
  private func suspected() throws -> Set<SQLName>? {
    try store.service { connection in
      let capture = ForeignCapture(connection)
      let named = try Set(capture.suspected().map { SQLName($0) })
      guard try capture.isBroken() else { return named.isEmpty ? nil : named }
      return try connection.immediate {
        guard try capture.isBroken() else { return named.isEmpty ? nil : named }
        let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
        return try named.union(capture.doubted(schema).map { SQLName($0) })
      }
    }
  }

  /// Accepts what may have been written without a comparison, if none is possible: the file was copied, or
  /// restored from a backup, so that neither the log nor the time of the file is evidence.
  ///
  /// This is not accepted if the other devices have agreed to forget what the comparison needs. The store
  /// then comes back without it.
  ///
  /// - Parameter isLacking: whether logs are missing for the comparison.
  private func isOnlyPossible(isLacking: Bool) throws -> Bool {
    try store.background { connection in
      if isLacking, !isRestored, environment.horizons.isOn {
        let step = try HorizonStep(
          Exchange(of: connection, environment), environment.horizons, waiting: [],
          isSpaceNear: false)
        if try step.laterDeclared() != nil { return false }
      }
      return try connection.immediate {
        let capture = ForeignCapture(connection)
        guard try capture.suspected().isEmpty, try !capture.isCertain() else { return false }
        try capture.acquit()
        return true
      }
    }
  }

  /// Records differences in the journals, in the open transaction.
  ///
  /// - Returns: `false` if more may have been written since the comparison.
  private func note(
    _ moment: LogComparison.Moment, _ tables: Set<SQLName>, _ connection: Connection,
    _ didFind: (SyncReport.Uncaptured) -> Void
  ) throws -> Bool {
    let capture = ForeignCapture(connection)
    guard try KnowledgeTable(connection).current() == moment.knowledge,
      try Outbox(connection).last()?.sequence ?? .zero == moment.own,
      try !capture.isPending()
    else { return false }
    guard try tables.isSuperset(of: capture.suspected().map { SQLName($0) }) else { return false }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    if try capture.isUsed() { try capture.noteUnwatched(schema) }
    try capture.note(moment.differences, schema)
    try KeylessRows(connection).note(moment.keyless)
    if !moment.differences.isEmpty {
      let known = try capture.suspicions()
      try UncapturedWrites(
        milliseconds: environment.clock.milliseconds(), rows: moment.differences.count,
        tables: moment.tables,
        suspicion: moment.tables.map { known[SQLName($0)] ?? .untriggered }.max() ?? .untriggered
      ).write(to: Settings(connection))
      didFind(SyncReport.Uncaptured(rows: moment.differences.count, tables: moment.tables))
    }
    // Nothing else shows that no program has written since without being captured.
    guard try connection.logHead()?.place == moment.end else { return false }
    try capture.acquit()
    return true
  }
}

extension ReplicatedSchema {
  /// Returns the replicated tables of a store.
  static func names(in connection: Connection) throws -> Set<SQLName> {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    return Set(schema.tables.filter { $0.refusal == nil }.map { SQLName($0.name) })
  }
}
