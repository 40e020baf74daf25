public import TributaryCore

/// What comparing a store with its logs has found.
public struct VerifyReport: Sendable {
  /// A cell, a whole row or a conflict that is not as the logs say.
  public struct Difference: Sendable {
    public var table: String
    public var key: [Value]
    /// `nil` for a whole row.
    public var column: String?
    /// What the store has; `nil` where the row is missing.
    public var stored: Value?
    /// What the logs say; `nil` where the row should not be.
    public var expected: Value?
    /// The conflict that it is about, and how that differs; `nil` for rows and cells.
    public var conflict: (id: String, state: ConflictState)?

    /// How a conflict of the store differs from those that the logs make.
    public enum ConflictState: Sendable {
      case missing
      /// The logs make no such conflict.
      case unfounded
      /// It has other values or other transactions.
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

  /// How many transactions were replayed.
  public var transactions: Int
  /// How many differences there are.
  public var differenceCount: Int
  /// The first of them.
  public var differences: [Difference]
  /// The conflicts were compared too; they are not while own transactions have not been looked at
  /// for conflicts, which a synchronisation does.
  public var comparesConflicts = true
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
      case .other: "\(row): the conflict \(conflict.id) is another than the logs say"
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
