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
  public var columns: [String: ColumnPolicy]

  public init(
    merge: Unit? = nil, keys: Keys = .generated, columns: [String: ColumnPolicy] = [:]
  ) {
    self.merge = merge
    self.keys = keys
    self.columns = columns
  }

  /// Whether nothing but what holds anyway is declared.
  public var isEmpty: Bool { merge == nil && keys == .generated && policies.isEmpty }

  /// The policy of a column, whatever the case of its letters.
  public func policy(of column: String) -> ColumnPolicy {
    columns[column] ?? policies[column.lowercased()] ?? .latest
  }

  /// Policies that are none left out, names in lower case.
  var policies: [String: ColumnPolicy] {
    Dictionary(
      columns.filter { $0.value != .latest }.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether both mean the same.
  public func isEquivalent(to other: TableMerge) -> Bool {
    merge == other.merge && keys == other.keys && policies == other.policies
  }
}

extension TableMerge: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if let merge { parts.append("by \(merge.rawValue)") }
    if keys == .natural { parts.append("with natural keys") }
    parts += policies.sorted { $0.key < $1.key }.map { "\($0.key) as \($0.value.rawValue)" }
    return parts.isEmpty ? "as usual" : parts.joined(separator: ", ")
  }
}
