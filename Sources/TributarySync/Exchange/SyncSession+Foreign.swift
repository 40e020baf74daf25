import TributaryContainer
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The result of looking for what other programs have written.
  package struct ForeignOutcome {
    /// What had not been captured.
    var found: SyncReport.Uncaptured?
    /// Why some of it cannot be determined yet. Until it is determined, nothing may be imported.
    package var failure: (any Error)?
  }

  /// Stops synchronising the tables that other programs have dropped or removed columns from.
  func stopTables(_ connection: Connection) throws {
    let version = try connection.integer("PRAGMA main.schema_version")
    if examinedSchema.withLock({ $0 == version }) { return }
    let tables = StoppedTables(connection)
    if try tables.isOutdated() { try connection.immediate { try tables.update() } }
    if try tables.isForgetful() { try connection.immediate { try tables.remember() } }
    let present = try connection.integer("PRAGMA main.schema_version")
    examinedSchema.withLock { $0 = present }
  }

  /// Records what other programs have written: what was captured, and what a comparison with the logs finds.
  ///
  /// It must run after the store's identity is settled: transactions that must be issued again or have
  /// strayed make the tables differ from the logs.
  ///
  /// - Parameter isRestored: whether the store was just found to be a copy, or restored from a backup.
  /// - Throws: what is wrong with the store itself.
  package func recordForeignWrites(isRestored: Bool = false) throws -> ForeignOutcome {
    guard try store.hasForeignWrites() else { return ForeignOutcome() }
    try store.recordForeignWrites()
    var comparison = ForeignComparison(store: store, environment: environment)
    comparison.isRestored = isRestored
    do {
      return ForeignOutcome(found: try comparison.run())
    } catch let error as SyncError {
      return ForeignOutcome(failure: error)
    } catch let error as ContainerError {
      return ForeignOutcome(failure: error)
    }
  }

  /// Makes the store come back without a comparison, if the other devices have forgotten the logs that it
  /// needs.
  func passOverComparison(
    _ exchange: Exchange, into report: inout SyncReport, reseeds: Bool
  ) throws {
    guard let lack = report.failure as? SyncError, lack.code == .logsMissing else { return }
    do {
      switch try decideUncompared(exchange, reseeds: reseeds) {
      case .comesBack: report.isUncompared = true
      case .comesBackLater:
        report.failure = SyncError(
          lack.code, lack.message, path: lack.path,
          remedy: "nothing needs to be done: \(ForgottenLogs.way)", underlying: lack)
      case .waits: break
      }
    } catch {
      report.failure = error
    }
  }

  /// Records what other programs have written, as part of a report.
  ///
  /// - Returns: why some of it cannot be determined yet.
  func recordForeignWrites(into report: inout SyncReport) throws -> (any Error)? {
    let outcome = try recordForeignWrites(isRestored: report.renewal != nil)
    if let found = outcome.found {
      report.uncaptured = report.uncaptured?.appending(found) ?? found
    }
    report.failure = report.failure ?? outcome.failure
    return outcome.failure
  }
}
