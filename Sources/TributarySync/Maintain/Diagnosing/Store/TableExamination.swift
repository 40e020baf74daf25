import TributaryStore

/// Tables that cannot be replicated as they are.
struct TableExamination: Examination {
  let store: StoreSubject

  let subject = "the tables"

  func examine(_ findings: inout [Finding]) throws {
    for table in try store.schema().tables {
      guard let refusal = table.refusal else {
        if let finding = try keyless(table) { findings.append(finding) }
        continue
      }
      findings.append(
        Finding(
          .table, .warning, path: store.path,
          "\(store.path): \(refusal.message): it is not replicated", remedy: refusal.remedy))
    }
    for item in try UnmadeObjects(store.connection).leftOut() {
      findings.append(
        Finding(
          .table, .warning, path: store.path, "\(store.path): left out: \(item)",
          remedy:
            "give the extension that has what is missing: `tributary attach` with --load-extension")
      )
    }
    let extensions = StoreExtensions(store.connection, birth: store.environment.birth)
    if let text = try extensions.finding() {
      findings.append(
        Finding(
          .table, .warning, path: store.path, "\(store.path): \(text)",
          remedy:
            "name the extensions that this file needs with `tributary attach --load-extension`"))
    }
  }

  /// Rows that another program wrote with NULL in their key; SQLite allows that in most keys.
  private func keyless(_ table: TableDescription) throws -> Finding? {
    let terms = table.keyTerms.map { "\($0) IS NULL" }.joined(separator: " OR ")
    let count =
      try store.connection.integer(
        "SELECT count(*) FROM main.\(table.name.quotedIdentifier) WHERE \(terms)") ?? 0
    guard count > 0 else { return nil }
    return Finding(
      .table, .warning, path: store.path,
      "\(store.path): \(count == 1 ? "a row" : "\(count) rows") of table \(table.name) "
        + "\(count == 1 ? "has" : "have") NULL in \(table.keyPhrase): "
        + "\(count == 1 ? "it is" : "they are") not replicated",
      remedy: "give every key column a value")
  }
}
