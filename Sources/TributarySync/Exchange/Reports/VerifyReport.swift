public import TributaryCore

/// The result of comparing a store with its logs.
public struct VerifyReport: Sendable {
  /// A cell, a whole row or a conflict that differs from the logs.
  public struct Difference: Sendable {
    /// The table of the row.
    public var table: String
    /// The key of the row.
    public var key: [Value]
    /// The column; `nil` for a whole row.
    public var column: String?
    /// The value in the store; `nil` if the row is missing.
    public var stored: Value?
    /// The value according to the logs; `nil` if the row should not exist.
    public var expected: Value?
    /// The conflict concerned, and how it differs; `nil` for rows and cells.
    public var conflict: (id: String, state: ConflictState)?

    /// How a conflict of the store differs from those that the logs produce.
    public enum ConflictState: Sendable {
      /// The logs produce the conflict, but the store does not have it.
      case missing
      /// The logs produce no such conflict.
      case unfounded
      /// The conflict has other values or other transactions.
      case other
    }

    init(
      table: String, key: [Value], column: String? = nil, stored: Value? = nil,
      expected: Value? = nil, conflict: (id: String, state: ConflictState)? = nil
    ) {
      self.table = table
      self.key = key
      self.column = column
      self.stored = stored
      self.expected = expected
      self.conflict = conflict
    }
  }

  /// The number of replayed transactions.
  public var transactions: Int
  /// The number of differences.
  public var differenceCount: Int
  /// The first differences.
  public var differences: [Difference]
  /// Whether the conflicts were compared too. They are not while some of the store's own transactions have
  /// not been examined for conflicts, which a synchronisation does.
  public var comparesConflicts = true
  /// What another program has written past the triggers and was recorded before the comparison; `nil` if
  /// nothing was found.
  public var uncaptured: SyncReport.Uncaptured?
  /// The columns that other devices have with other types, so that the digests may differ even if nothing
  /// differs from the logs.
  package var otherTypes: [Refusal] = []
}

extension VerifyReport.Difference: CustomStringConvertible {
  public var description: String {
    var text = JSONWriter()
    text.key(key)
    let row = "table \(table), key \(text.text)"
    if let conflict {
      return switch conflict.state {
      case .missing: "\(row): the conflict \(conflict.id) is missing from the store"
      case .unfounded: "\(row): the conflict \(conflict.id) is not in the logs"
      case .other: "\(row): the conflict \(conflict.id) differs from the logs"
      }
    }
    if column == nil {
      return stored == nil
        ? "\(row): the row is missing from the store" : "\(row): the row is not in the logs"
    }
    var stored = JSONWriter()
    stored.value(self.stored ?? .null)
    var expected = JSONWriter()
    expected.value(self.expected ?? .null)
    return
      "\(row), column \(column ?? ""): the store has \(stored.text), the logs say \(expected.text)"
  }
}
