import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Carries out `verify`.
struct Verifier {
  let path: String
  let environment: Environment
  let progress: ((Progress) -> Void)?

  func verify() throws -> VerifyReport {
    do {
      return try compare()
    } catch var error as SQLiteError where error.path.isEmpty {
      // The scratch database has no name, and what is being verified has.
      error.path = path
      error.message = "its logs cannot be replayed in a temporary database: \(error.message)"
      throw error
    }
  }

  private func compare() throws -> VerifyReport {
    let connection = try Connection(path: path, mode: .readWrite)
    guard try Settings.exist(in: connection) else {
      throw StoreError(
        .notAttached, "the database is not attached to a container", path: path,
        remedy: "run `tributary attach`")
    }
    let session = try SyncSession(store: path, environment: environment)
    defer { session.store.close() }
    if try session.store.captureMethod() == .triggers {
      if let failure = try session.recordForeignWrites().failure { throw failure }
    } else {
      // What nothing captured is a difference like any other.
      try session.store.recordForeignWrites()
    }
    try connection.execute("PRAGMA query_only = ON")
    // One moment of the store: it may be written and synchronised meanwhile.
    return try connection.snapshot {
      let selection = try TableSelection(connection)
      let schema = try ReplicatedSchema(connection, selection: selection)
      let definition = try MergeDefinition(of: connection, selection: selection)
      var done = 0
      let replay = LogReplay(path: path, connection: connection, environment: environment)
      let count = try replay.forEachTransaction { stream, head in
        let transaction = BatchTransaction(head, of: stream.peer)
        while let change = try stream.nextChange() {
          try definition.apply(
            change, shape: stream.shape(change.shapeID), by: transaction)
        }
        done += 1
        if done % 1024 == 0 { progress?(Progress(stage: "replaying", done: done)) }
      }
      var report = VerifyReport(transactions: count, differenceCount: 0, differences: [])
      for table in schema.tables where table.refusal == nil {
        progress?(Progress(stage: "comparing \(table.name)", done: count, total: count))
        try definition.compare(table) { difference in
          report.differenceCount += 1
          if report.differences.count < 10 { report.differences.append(difference) }
        }
      }
      let conflicts = try replay.lookingUp {
        try ConflictVerifier(
          replay: replay, store: connection, schema: schema, selection: selection,
          progress: progress
        ).differences()
      }
      report.comparesConflicts = conflicts != nil
      report.differenceCount += conflicts?.count ?? 0
      report.differences += conflicts?.prefix(10) ?? []
      return report
    }
  }
}

extension MergeDefinition {
  fileprivate func compare(
    _ table: TableDescription, _ body: (VerifyReport.Difference) -> Void
  ) throws {
    try forEachDifference(table) { key, column, stored, expected in
      body(
        VerifyReport.Difference(
          table: table.name, key: key, column: column, stored: stored, expected: expected))
    }
  }
}
