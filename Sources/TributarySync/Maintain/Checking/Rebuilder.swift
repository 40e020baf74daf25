import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Performs `rebuild`.
struct Rebuilder {
  let path: String
  let environment: StoreEnvironment
  let progress: ((Progress) throws -> Void)?

  func rebuild() throws -> RebuildReport {
    guard try environment.localFiles.status(path) != nil else {
      throw StoreError(
        .notAttached, "there is no such file", path: path,
        remedy: "run `tributary attach`: it rebuilds a missing store from the logs")
    }
    do throws(FileError) {
      try environment.checkWritable(store: path)
    } catch {
      throw StoreError(
        .readOnly, "\(error.path) cannot be written (\(error)), and nothing has been changed",
        path: path, remedy: "make the file and its directory writable", underlying: error)
    }
    let file = try recordForeignWrites()
    let original = try open()
    defer { original.release() }
    try checkForeignWrites(original.connection, file)
    let staging = Staging(target: path, fileSystem: environment.localFiles)
    let copy = SetAsideCopy(of: path, before: "rebuilding", environment.localFiles)
    do {
      return try staging.build(replacing: original) {
        do {
          try original.copy(to: staging.path)
        } catch let error as SQLiteError where error.isDamage {
          try staging.clear()
          try SalvagedCopy(source: original.connection, path: staging.path).make()
        }
        var report = try replay(into: staging)
        report.setAside = try setAside(original, staging, copy)
        return report
      }
    } catch {
      copy.remove()
      throw error
    }
  }

  /// Opens the store exclusively.
  ///
  /// - Throws: also if the store cannot be read at all, since nothing then shows where its logs are.
  private func open() throws -> ExclusiveDatabase {
    do {
      let original = try ExclusiveDatabase(path: path)
      guard try Settings.exist(in: original.connection) else {
        throw StoreError(
          .notAttached, "the database is not attached to a container", path: path,
          remedy: "run `tributary attach`")
      }
      return original
    } catch let error as SQLiteError where error.isDamage {
      throw error.advising("nothing of the store can be read: \(Remedy.attachAgain)")
    }
  }

  /// Records what other programs have written, which no log contains yet.
  ///
  /// - Returns: the sealed file, which shows whether any program has written since; `nil` if nothing shows
  ///   it.
  private func recordForeignWrites() throws -> SealedFile? {
    do {
      let session = try SyncSession(store: path, environment: environment)
      defer { session.store.close() }
      if let failure = try session.recordForeignWrites().failure {
        // If the store has strayed from the logs, only a rebuild makes it agree with them again, and sets
        // aside what they lack.
        guard (failure as? SyncError)?.code == .forked else { throw failure }
        return nil
      }
      let file = try session.store.service { try SealedFile($0, environment.localFiles) }
      session.store.close()
      // If the file cannot be sealed, what is written in between is set aside.
      return try file.isUntouched() ? file : nil
    } catch let error as SQLiteError where error.isDamage || isIncomplete(error) {
      // The readable part of a damaged file is salvaged below.
    } catch let error as StoreError where error.code == .damaged {
      // The same holds for the contents of damaged bookkeeping.
    }
    return nil
  }

  /// Whether a table or a column of the bookkeeping is missing. If that cannot be determined, the caller
  /// throws the error that made it ask.
  private func isIncomplete(_ error: SQLiteError) -> Bool {
    guard error.isOfStatement, let connection = try? Connection(path: path, mode: .readOnly) else {
      return false
    }
    defer { connection.close() }
    return (try? BookkeepingSchema.discrepancies(in: connection).isEmpty) == false
  }

  private func checkForeignWrites(_ connection: Connection, _ file: SealedFile?) throws {
    do {
      let isUntouched = try file?.isUntouched() ?? true
      guard try !isUntouched || ForeignCapture(connection).isPending() else { return }
    } catch let error as SQLiteError where error.isDamage || isIncomplete(error) {
      return
    }
    throw SyncError(
      .inUse, "another program has written to it meanwhile", path: path,
      remedy: "stop that program, then rebuild again")
  }

  /// Keeps what the store has but no log contains.
  private func setAside(
    _ original: ExclusiveDatabase, _ staging: Staging, _ copy: SetAsideCopy
  ) throws -> RebuildReport.SetAside? {
    let rebuilt = try Connection(path: staging.path, mode: .readWrite)
    defer { rebuilt.close() }
    return try RebuildLoss(original: original.connection, rebuilt: rebuilt, copy: copy).setAside()
  }

  /// Replays the logs. The copy provides the bookkeeping and what is not replicated.
  private func replay(into staging: Staging) throws -> RebuildReport {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    try staging.makeFast(connection)
    try BookkeepingSchema.makeMissing(in: connection)
    try connection.execute("PRAGMA foreign_keys = OFF")
    connection.setTriggers(firing: false)
    try ImportTriggers(connection).renew()
    let replay = LogReplay(path: path, connection: connection, environment: environment)
    // The repair assumes that what the logs say now was imported, so this comes first. Bookkeeping that is
    // too damaged for it is repaired first and examined again.
    do {
      try replay.returnFromStrayed()
    } catch let error as SyncError where error.code == .logsMissing {
      throw error
    } catch {
      // It is examined again below.
    }
    try BookkeepingRepair(connection: connection, environment: environment).run()
    try replay.returnFromStrayed()
    try StoppedTables(connection).release()
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    for table in schema.tables {
      try connection.execute("DELETE FROM \(table.name.quotedIdentifier)")
    }
    let indexes = try DeferredIndexes(droppingFrom: connection)
    for table in ["conflict", "held", "claim", "birth"] {
      try connection.execute("DELETE FROM tributary_\(table)")
    }
    let count = try FullReplay(
      replay: replay, target: connection, schema: schema, selection: selection,
      progress: progress
    ).run()
    try progress?(Progress(stage: "indexing", done: count, total: count))
    try indexes.restore(in: connection)
    // What was written was recorded before. Indexes were dropped and created again, which changes the schema.
    try connection.immediate { try ForeignCapture(connection).settle(schema) }
    var report = RebuildReport(transactions: count)
    report.stopped = try StoppedTables(connection).findings()
    return report
  }
}
