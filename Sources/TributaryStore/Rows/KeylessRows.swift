import TributaryCore
import TributarySQLite

/// Rows that another program wrote with NULL in their key; SQLite allows that in most keys. They cannot be
/// replicated.
package struct KeylessRows {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns a refusal that says how many such rows a table has; `nil` if it has none.
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

  /// Records that these tables have such rows; each synchronisation reports them as long as there are any.
  package func note(_ tables: Set<SQLName>) throws {
    let known = try recorded()
    let news = tables.subtracting(known)
    if news.isEmpty { return }
    try write(known.union(news))
  }

  /// Whether no table is recorded.
  package var isEmpty: Bool {
    get throws { try recorded().isEmpty }
  }

  /// Returns what there is to report about the recorded tables.
  package func findings() throws -> [Refusal] {
    let names = try recorded()
    if names.isEmpty { return [] }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    return try names.sorted().compactMap { try refusal(of: $0, in: schema) }
  }

  /// Forgets the tables that no longer have such rows. These must be compared with the logs: the row that had
  /// the key before it became NULL was not recorded as deleted.
  ///
  /// - Returns: whether there are any.
  package func release() throws -> Bool {
    func released() throws -> Set<SQLName> {
      let names = try recorded()
      if names.isEmpty { return [] }
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      return try names.filter { try refusal(of: $0, in: schema) == nil }
    }
    if try released().isEmpty { return false }
    try connection.immediate {
      let names = try released()
      try write(recorded().subtracting(names))
      try ForeignCapture(connection).suspect(
        names.sorted().map { SuspectedTable(name: $0.text, suspicion: .keyless) })
    }
    return true
  }

  private func refusal(of name: SQLName, in schema: ReplicatedSchema) throws -> Refusal? {
    guard let table = schema.table(named: name.text), table.refusal == nil else { return nil }
    return try refusal(of: table)
  }

  private func recorded() throws -> Set<SQLName> {
    Set(
      try Settings(connection).lines(.keyless).map { line in
        SQLName(String(line.split(separator: " ", maxSplits: 1).last ?? ""))
      })
  }

  /// The word before each name is for versions that reported it only once.
  private func write(_ tables: Set<SQLName>) throws {
    try Settings(connection).set(.keyless, lines: tables.sorted().map { "told \($0.text)" })
  }
}
