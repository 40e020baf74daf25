import TributarySQLite
import TributaryStore

/// Performs `verify`.
struct Verifier {
  let path: String
  let environment: StoreEnvironment
  let progress: ((Progress) throws -> Void)?

  func verify() throws -> VerifyReport {
    do {
      return try compare()
    } catch var error as SQLiteError where error.file.isEmpty {
      // The scratch database has no name, but the verified one does.
      error.file = path
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
    try session.store.recordForeignWrites()
    var uncaptured: SyncReport.Uncaptured?
    // Where there were no triggers, the journals are incomplete. Anything else that nothing captured is a
    // difference like any other.
    if try session.store.service({ try !ForeignCapture($0).suspected().isEmpty }) {
      let outcome = try session.recordForeignWrites()
      if let failure = outcome.failure { throw failure }
      uncaptured = outcome.found
    }
    try connection.execute("PRAGMA query_only = ON")
    // This is a snapshot of the store, which may be written and synchronised meanwhile.
    var report = try connection.snapshot {
      try ReplayComparison(
        path: path, connection: connection, environment: environment, progress: progress
      ).run()
    }
    report.uncaptured = uncaptured
    return report
  }
}
