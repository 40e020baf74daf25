import TributaryCore
import TributarySQLite

/// Rows that another program wrote with NULL in their key; SQLite allows that in most keys. They cannot be
/// replicated.
package struct KeylessRows {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Says how many such rows a table has; `nil` if it has none.
  ///
  /// - Complexity: O(log *n*) where an index has the key.
  package func refusal(of table: TableDescription) throws -> Refusal? {
    let terms = table.keyTerms.map { "\($0) IS NULL" }.joined(separator: " OR ")
    let count =
      try connection.integer(
        "SELECT count(*) FROM main.\(table.name.quotedIdentifier) WHERE \(terms)") ?? 0
    guard count > 0 else { return nil }
    return Refusal(
      "\(count == 1 ? "a row" : "\(count) rows") of table \(table.name) "
        + "\(count == 1 ? "has" : "have") NULL in \(table.keyPhrase): "
        + "\(count == 1 ? "it is" : "they are") not replicated",
      remedy: "give every key column a value")
  }

  /// Records that these tables have such rows, to be said by the next synchronisation.
  package func note(_ tables: Set<SQLName>) throws {
    let known = try recorded()
    let news = tables.filter { known[$0] == nil }
    if news.isEmpty { return }
    try write(known.merging(news.map { ($0, false) }) { old, _ in old })
  }

  /// Returns what has not been said yet, and records it as said.
  package func take() throws -> [Refusal] {
    guard try recorded().values.contains(false) else { return [] }
    return try connection.atomic {
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      var known = try recorded()
      var found: [Refusal] = []
      for (name, isTold) in known.sorted(by: { $0.key < $1.key }) {
        guard let table = schema.table(named: name.text), table.refusal == nil,
          let refusal = try refusal(of: table)
        else {
          known[name] = nil
          continue
        }
        if !isTold { found.append(refusal) }
        known[name] = true
      }
      try write(known)
      return found
    }
  }

  /// The tables, each with whether a synchronisation has said it.
  private func recorded() throws -> [SQLName: Bool] {
    Dictionary(
      try Settings(connection).lines(.keyless).map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (SQLName(String(parts.last ?? "")), parts.first == "told")
      }, uniquingKeysWith: { $0 && $1 })
  }

  private func write(_ tables: [SQLName: Bool]) throws {
    let lines = tables.sorted { $0.key < $1.key }.map {
      "\($0.value ? "told" : "new") \($0.key.text)"
    }
    try Settings(connection).set(.keyless, lines: lines)
  }
}
