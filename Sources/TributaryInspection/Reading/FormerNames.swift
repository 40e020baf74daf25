internal import TributaryContainer
internal import TributaryCore
package import TributaryReplay
internal import TributaryStore

/// The names that tables and columns have had, by the content names of their logs: logs keep the names that were valid
/// when they were written, and `peer.json` says what migrations have renamed since.
package struct FormerNames: Sendable {
  private var changes: [String: NameChanges] = [:]

  /// Knows of no renaming.
  package init() {}

  /// Reads what the peers of logs state. A peer without a readable `peer.json` states nothing.
  package init(beside logs: [PeerLog], using search: LogSearch = LogSearch()) {
    for log in logs {
      if let manifest = search.manifest(of: log) {
        add(manifest.schema, content: manifest.content.text)
      }
    }
  }

  /// Adds what a peer states. Renamings written by a newer program that this one cannot read are ignored.
  mutating func add(_ schema: ManifestSchema, content: String) {
    if schema.names.isEmpty { return }
    changes[content, default: NameChanges()].add(schema.names.compactMap { NameChange($0) })
  }

  /// The content names with renamings.
  var contents: some Sequence<String> { changes.keys }

  /// Returns all names of a table, given one of them.
  func names(ofTable table: String, in content: String) -> Set<SQLName> {
    changes[content]?.names(of: SQLName(table)) ?? [SQLName(table)]
  }

  /// Returns the newest name of a table, given any of them.
  func newestName(ofTable table: String, in content: String) -> String {
    guard let changes = changes[content], changes.names(of: SQLName(table)).count > 1 else {
      return table
    }
    return changes.newestName(ofTable: SQLName(table)).text
  }

  /// Returns all names of a column, given one of them and one of its table.
  func names(ofColumn column: String, of table: String, in content: String) -> Set<SQLName> {
    changes[content]?.names(ofColumn: SQLName(column), of: SQLName(table)) ?? [SQLName(column)]
  }
}
