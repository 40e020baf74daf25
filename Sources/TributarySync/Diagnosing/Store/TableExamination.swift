import TributaryStore

/// Tables that cannot be replicated as they are.
struct TableExamination: Examination {
  let store: StoreSubject

  let subject = "the tables"

  func examine(_ findings: inout [Finding]) throws {
    for table in try store.schema().tables {
      guard let refusal = table.refusal else { continue }
      findings.append(
        Finding(
          .table, .warning, path: store.path,
          "\(store.path): \(refusal.message): it is not replicated", remedy: refusal.remedy))
    }
  }
}
