package import TributaryContainer

/// The columns that a peer does not simply overwrite, according to its declarations.
package struct ColumnPolicies: Sendable {
  enum Policy: String {
    case counter
    case max
    case min
  }

  /// The policies by table and column, with ASCII letters in lower case.
  private var policies: [[UInt8]: [[UInt8]: Policy]] = [:]

  package init(_ schema: ManifestSchema) {
    for (table, merge) in schema.merge where !merge.columns.isEmpty {
      var columns: [[UInt8]: Policy] = [:]
      for (column, name) in merge.columns { columns[Self.folded(column)] = Policy(rawValue: name) }
      policies[Self.folded(table)] = columns
    }
  }

  /// Returns the policy; `nil` for a column that takes the value that it is given.
  func policy(of column: String, in table: String) -> Policy? {
    if policies.isEmpty { return nil }
    return policies[Self.folded(table)]?[Self.folded(column)]
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}
