import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Examines corrections of knowledge that have arrived, before anything more is imported.
///
/// A store that has not imported the transactions that a correction concerns simply reads them with the
/// correction. A store that has imported them may have merged them as if their author had known another
/// transaction. All logs, read with the corrections, would then yield another database.
struct CorrectionExamination {
  let branches: Branches

  private var exchange: Exchange { branches.exchange }

  /// Examines the corrections.
  ///
  /// - Returns: whether anything was found out.
  /// - Complexity: O(1) if no correction is new; a replay of all logs if one comes late.
  func run() throws -> Bool {
    let new = branches.newCorrections.filter { !branches.missedCorrections.contains($0) }
    guard !new.isEmpty else { return false }
    while try !decide(new) {}
    return true
  }

  /// Decides about some corrections.
  ///
  /// - Returns: `false` if another process has meanwhile imported what one of them may concern.
  private func decide(_ new: [KnowledgeCorrection]) throws -> Bool {
    let connection = exchange.connection
    let known = try KnowledgeTable(connection).current()
    let late = new.filter { $0.author != exchange.own && $0.first <= known[$0.author] }
    let missed = try late.isEmpty || agrees() ? [] : late
    return try connection.immediate {
      guard try KnowledgeTable(connection).current() == known else { return false }
      let decided = try Corrections.missed(connection).all() + Corrections.applied(connection).all()
      let open = new.filter { !decided.contains($0) }
      try Corrections.missed(connection).add(open.filter(missed.contains))
      try Corrections.applied(connection).add(open.filter { !missed.contains($0) })
      return true
    }
  }

  private func agrees() throws -> Bool {
    let comparison = ReplayComparison(
      path: exchange.connection.filePath, connection: exchange.connection,
      environment: exchange.environment, progress: nil)
    do {
      return try exchange.connection.snapshot { try comparison.run() }.differenceCount == 0
    } catch let error as SyncError where error.code == .logsMissing {
      // It cannot be determined now. A rebuild reports what is missing.
      return false
    }
  }
}
