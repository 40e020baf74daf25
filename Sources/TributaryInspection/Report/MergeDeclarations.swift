internal import TributaryContainer

/// What the peers of a content name have declared of how its tables merge, as far as it concerns
/// which concurrent writes contradict each other.
struct MergeDeclarations {
  /// By table, in lower case: columns of which no write is lost.
  private var columns: [String: Set<String>] = [:]
  private var natural: Set<String> = []

  /// Adds what one peer declares.
  mutating func add(_ schema: ManifestSchema) {
    for (table, merge) in schema.merge {
      let name = table.lowercased()
      columns[name, default: []].formUnion(merge.columns.keys.map { $0.lowercased() })
      if merge.keys == "natural" { natural.insert(name) }
    }
  }

  /// Columns, in lower case, with a policy other than the later write.
  func policies(of table: String) -> Set<String> {
    columns.isEmpty ? [] : columns[table.lowercased()] ?? []
  }

  /// Whether one number means one row on every device.
  func isNatural(_ table: String) -> Bool {
    !natural.isEmpty && natural.contains(table.lowercased())
  }
}
