package import TributaryCore

/// What a statement does to the keys of a table; columns that are not in a key do not matter here.
package enum KeyEffect: Sendable {
  /// None, or one that cannot lead to a re-insert because the write has no other statement.
  case none

  case insert(table: String, keys: [[Value]], onConflict: ConflictAnswer)

  /// Those of the keys that are there.
  case delete(table: String, keys: [[Value]])
  case deleteAll(table: String)

  /// Changes the keys of those rows that are there; the new keys are none of the old ones, unless
  /// there is only one row.
  case move(table: String, keys: [(from: [Value], to: [Value])], onConflict: ConflictAnswer)

  case savepoint
  case rollbackToSavepoint
  case releaseSavepoint
}

/// What happens to a row whose key is already there.
package enum ConflictAnswer: String, Sendable {
  /// The statement does nothing at all.
  case abort = "ABORT"
  /// The statement ends there, and what it did so far stays.
  case fail = "FAIL"
  /// The row is left out.
  case ignore = "IGNORE"
  /// The row that is there is deleted first.
  case replace = "REPLACE"
}
