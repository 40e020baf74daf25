import TributaryCore

/// What is declared of how one table merges.
public struct TableMerge: Hashable, Sendable {
  /// What two writes of one row compete for.
  public enum Unit: String, Hashable, Sendable {
    /// The whole row: each update counts for all its columns.
    case row
    /// Each column by itself.
    case column
  }

  /// Where the keys of its rows come from.
  public enum Keys: String, Hashable, Sendable {
    /// SQLite counts: one number given on two devices means two rows.
    case generated
    /// One key means one row wherever it is given.
    case natural
  }

  /// `nil` is by column, or by row where a CHECK needs it.
  public var merge: Unit?
  public var keys: Keys
  /// The columns with a policy other than that the later write wins.
  public var columns: [SQLName: ColumnPolicy]
  /// By what its rows are known where it has no PRIMARY KEY; `nil` until that is chosen.
  public var knownBy: KnownBy?
  /// A column that was given twice, which is refused when the table is known.
  private(set) var repetition: SQLName?

  /// - Parameter columns: each once, in any case of its letters.
  public init(
    merge: Unit? = nil, keys: Keys = .generated,
    columns: KeyValuePairs<String, ColumnPolicy> = [:], knownBy: KnownBy? = nil
  ) {
    self.merge = merge
    self.knownBy = knownBy
    self.keys = keys
    self.columns = [:]
    for (name, policy) in columns
    where self.columns.updateValue(policy, forKey: SQLName(name)) != nil {
      repetition = SQLName(name)
    }
  }

  /// Whether nothing but what holds anyway is declared.
  public var isEmpty: Bool {
    merge == nil && keys == .generated && policies.isEmpty && knownBy == nil
  }

  /// The policy of a column.
  public func policy(of column: String) -> ColumnPolicy {
    columns[SQLName(column)] ?? .latest
  }

  /// Policies that are none left out.
  var policies: [SQLName: ColumnPolicy] { columns.filter { $0.value != .latest } }

  /// Whether both mean the same.
  public func isEquivalent(to other: TableMerge) -> Bool {
    merge == other.merge && keys == other.keys && policies == other.policies
      && knownBy == other.knownBy
  }

  /// This, and what is chosen there of what nobody needs to declare.
  func completed(by other: TableMerge) -> TableMerge {
    var result = self
    result.knownBy = knownBy ?? other.knownBy
    return result
  }
}

extension TableMerge: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if let merge { parts.append("by \(merge.rawValue)") }
    if keys == .natural { parts.append("with natural keys") }
    parts += policies.sorted { $0.key < $1.key }.map { "\($0.key.folded) as \($0.value.rawValue)" }
    if let knownBy { parts.append("with rows known by \(knownBy)") }
    return parts.isEmpty ? "as usual" : parts.joined(separator: ", ")
  }
}
