internal import TributaryContainer
internal import TributaryCore

/// What the peers of a content name have declared of how its tables merge, as far as it concerns
/// which concurrent writes contradict each other.
struct MergeDeclarations {
  /// By table, in lower case: columns of which no write is lost.
  private var columns: [SQLName: Set<SQLName>] = [:]
  private var natural: Set<SQLName> = []

  /// Adds what one peer declares.
  mutating func add(_ schema: ManifestSchema) {
    for (table, merge) in schema.merge {
      let name = SQLName(table)
      columns[name, default: []].formUnion(merge.columns.keys.map { SQLName($0) })
      if merge.keys == "natural" { natural.insert(name) }
    }
  }

  /// Columns with a policy other than the later write.
  func policies(of table: String) -> Set<SQLName> {
    columns.isEmpty ? [] : columns[SQLName(table)] ?? []
  }

  /// Whether one number means one row on every device.
  func isNatural(_ table: String) -> Bool {
    !natural.isEmpty && natural.contains(SQLName(table))
  }
}
