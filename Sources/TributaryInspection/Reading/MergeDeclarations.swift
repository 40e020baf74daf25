package import TributaryContainer
internal import TributaryCore
internal import TributaryLog
internal import TributaryStore

/// How the peers of a content name declare that its tables merge, as far as this determines what a change
/// does and which concurrent writes contradict each other.
package struct MergeDeclarations: Sendable {
  /// How a column takes a value, if it does not simply become that value.
  enum Policy: String {
    case counter
    case max
    case min
  }

  /// By table and column: the names of policies.
  private var policies: [SQLName: [SQLName: String]] = [:]
  private var natural: Set<SQLName> = []
  /// What migrations have renamed: peers declare under the current names, while logs use the names of tables
  /// and columns at the time.
  private var names = NameChanges()

  init() {}

  /// Uses the declarations of one peer.
  package init(_ schema: ManifestSchema) { add(schema) }

  /// Adds the declarations of a peer.
  mutating func add(_ schema: ManifestSchema) {
    for (table, merge) in schema.merge {
      let name = SQLName(table)
      for (column, policy) in merge.columns {
        policies[name, default: [:]][SQLName(column)] = policy
      }
      if merge.keys == "natural" { natural.insert(name) }
    }
    names.add(schema.names.compactMap { NameChange($0) })
    if !names.isEmpty { declareFormerNames() }
  }

  /// Repeats the declarations of each table and column under all names that it has had.
  private mutating func declareFormerNames() {
    for (table, columns) in policies {
      for name in names.names(of: table) {
        for (column, policy) in columns {
          for former in names.names(ofColumn: column, of: table)
          where policies[name]?[former] == nil {
            policies[name, default: [:]][former] = policy
          }
        }
      }
    }
    for table in natural { natural.formUnion(names.names(of: table)) }
  }

  /// Returns the shape of a table with the newest names of the table and its columns.
  func newest(_ shape: TableShape) -> TableShape {
    if names.isEmpty { return shape }
    let table = SQLName(shape.table)
    return TableShape(
      table: names.newestName(ofTable: table).text,
      columns: shape.columns.map { names.newestName(ofColumn: SQLName($0), of: table).text },
      keys: shape.keys)
  }

  /// Whether migrations have renamed anything.
  var hasRenamings: Bool { !names.isEmpty }

  /// Returns the columns of a table with a policy: no write of them is lost.
  func policies(of table: String) -> [SQLName: String] {
    policies.isEmpty ? [:] : policies[SQLName(table)] ?? [:]
  }

  /// Returns the policy of a column; `nil` if it takes the value that it is given.
  func policy(of column: String, in table: String) -> Policy? {
    policies(of: table)[SQLName(column)].flatMap(Policy.init(rawValue:))
  }

  /// Whether no write of a row leaves a conflict.
  func leavesNoConflicts(_ shape: TableShape) -> Bool {
    let policies = policies(of: shape.table)
    let keys = shape.keys.map(\.column)
    return shape.columns.count > keys.count
      && shape.columns.indices.allSatisfy {
        keys.contains($0) || policies[SQLName(shape.columns[$0])] == "last"
      }
  }

  /// Whether one number means one row on every device.
  func isNatural(_ table: String) -> Bool {
    !natural.isEmpty && natural.contains(SQLName(table))
  }
}
