import TributaryStore

/// Tables that cannot be replicated as they are.
struct TableExamination: Examination {
  let store: StoreSubject

  let subject = "the tables"

  func examine(_ findings: inout [Finding]) throws {
    for table in try store.schema().tables {
      guard let refusal = table.refusal else {
        if let keyless = try KeylessRows(store.connection).refusal(of: table) {
          findings.append(
            Finding(
              .table, .warning, path: store.path, "\(store.path): \(keyless.message)",
              remedy: keyless.remedy))
        }
        continue
      }
      findings.append(
        Finding(
          .table, .warning, path: store.path,
          "\(store.path): \(refusal.message): it is not replicated", remedy: refusal.remedy))
    }
    for stopped in try StoppedTables(store.connection).findings() {
      findings.append(
        Finding(
          .table, .warning, path: store.path, "\(store.path): \(stopped.message)",
          remedy: stopped.remedy))
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
}
