import TributarySQLite

extension WriterConnection {
  /// Returns the error to report for a failed commit. For a foreign key violation, SQLite does not name the
  /// row.
  func named(_ error: any Error) -> any Error {
    guard connection.isInTransaction, let failure = error as? SQLiteError,
      failure.resultCode == SQLiteError.foreignKeyViolation
    else { return error }
    do {
      try checkForeignKeys()
    } catch let found as SQLiteError where found.resultCode == SQLiteError.foreignKeyViolation {
      return found
    } catch {
      // The commit failed for the reason that SQLite gave, whatever this search came across.
    }
    return error
  }

  /// Checks the rows that could not be replicated when they were written.
  ///
  /// - Throws: for the first one that still exists.
  func checkRefusals() throws {
    for refusal in capture.pointee.refusals { try check(refusal) }
  }

  private func check(_ refusal: CaptureState.Refusal) throws {
    switch refusal {
    case .unusable(let name):
      guard let table = schema.table(named: name) else {
        // The table is gone, or has another name.
        return try schema.checkUsable(path: connection.path)
      }
      guard let refusal = table.refusal else { return }
      throw StoreError(
        .unusableTable, refusal.message, path: connection.path, remedy: refusal.remedy)
    case .nullInKey(let name):
      guard let table = schema.table(named: name) else { return }
      // The row may have been rolled back, or deleted again.
      let terms = table.keyTerms.map { "\($0) IS NULL" }.joined(separator: " OR ")
      let rows = try connection.integer(
        "SELECT count(*) FROM main.\(name.quotedIdentifier) WHERE \(terms)")
      if rows == 0 { return }
      throw StoreError(
        .unusableRow, "a row of table \(name) has NULL in \(table.keyPhrase)",
        path: connection.path, remedy: "give every key column a value")
    case .sqlite(let code):
      throw SQLiteError(
        code: code, message: "a changed row could not be read", path: connection.path)
    }
  }
}
