package import TributaryCore

/// The effect of a statement on the keys of a table; columns outside of keys do not matter here.
package enum KeyEffect: Sendable {
  /// No effect, or one that cannot lead to a reinsertion because the write has no other statement.
  case none

  case insert(table: String, keys: [[Value]], onConflict: ConflictAnswer)

  /// Deletes the rows with those keys that exist.
  case delete(table: String, keys: [[Value]])
  case deleteAll(table: String)

  /// Changes the keys of those rows that exist; no new key is one of the old ones, unless there is
  /// only one row.
  case move(table: String, keys: [(from: [Value], to: [Value])], onConflict: ConflictAnswer)

  case savepoint
  case rollbackToSavepoint
  case releaseSavepoint
}

/// The handling of a row whose key already exists.
package enum ConflictAnswer: String, Sendable {
  /// The statement does nothing at all.
  case abort = "ABORT"
  /// The statement ends there, and what it has done so far stays.
  case fail = "FAIL"
  /// The row is left out.
  case ignore = "IGNORE"
  /// The existing row is deleted first.
  case replace = "REPLACE"
}
