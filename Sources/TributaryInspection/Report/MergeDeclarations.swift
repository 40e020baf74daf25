internal import TributaryContainer
internal import TributaryCore

/// The declarations of a content name's peers of how its tables merge, as far as they determine
/// which concurrent writes contradict each other.
struct MergeDeclarations {
  /// By table, in lower case: the columns of which no write is lost.
  private var columns: [SQLName: Set<SQLName>] = [:]
  private var natural: Set<SQLName> = []

  /// Adds the declarations of one peer.
  mutating func add(_ schema: ManifestSchema) {
    for (table, merge) in schema.merge {
      let name = SQLName(table)
      columns[name, default: []].formUnion(merge.columns.keys.map { SQLName($0) })
      if merge.keys == "natural" { natural.insert(name) }
    }
  }

  /// Returns the columns with a policy other than that the later write wins.
  func policies(of table: String) -> Set<SQLName> {
    columns.isEmpty ? [] : columns[SQLName(table)] ?? []
  }

  /// Whether one number means one row on every device.
  func isNatural(_ table: String) -> Bool {
    !natural.isEmpty && natural.contains(SQLName(table))
  }
}
