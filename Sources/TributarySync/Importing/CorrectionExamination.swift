import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Looks at corrections of knowledge that have arrived, before more is imported.
///
/// Whoever has not imported what one concerns simply reads by it. Whoever has may have merged it as if its
/// author had known another transaction: then all logs, read by the corrections, make another database.
struct CorrectionExamination {
  let branches: Branches
  let environment: Environment

  /// - Returns: whether anything was found out.
  /// - Complexity: O(1) where no correction is new; a replay of all logs where one comes late.
  func run() throws -> Bool {
    let new = branches.newCorrections.filter { !branches.missedCorrections.contains($0) }
    guard !new.isEmpty else { return false }
    let connection = branches.connection
    let known = try KnowledgeTable(connection).current()
    let late = new.filter { $0.author != branches.own && $0.first <= known[$0.author] }
    let missed = try late.isEmpty || agrees() ? [] : late
    try connection.immediate {
      try Corrections.missed(connection).add(missed)
      try Corrections.applied(connection).add(new.filter { !missed.contains($0) })
    }
    return true
  }

  private func agrees() throws -> Bool {
    let path = branches.connection.filePath
    let comparison = ReplayComparison(
      path: path, connection: branches.connection, environment: environment, progress: nil)
    do {
      return try branches.connection.snapshot { try comparison.run() }.differenceCount == 0
    } catch let error as SyncError where error.code == .logsMissing {
      // It cannot be found out now. A rebuild says what is missing.
      return false
    }
  }
}
