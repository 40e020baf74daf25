import TributaryStore

/// Tables that cannot be replicated as they are.
struct TableExamination: Examination {
  let store: StoreSubject

  let subject = "the tables"

  func examine(_ findings: inout [Finding]) throws {
    for table in try store.schema().tables {
      guard let refusal = table.refusal else { continue }
      let parts = refusal.split(separator: ";", maxSplits: 1)
      findings.append(
        Finding(
          .table, .warning, path: store.path, "\(store.path): \(parts[0]): it is not replicated",
          remedy: parts.count > 1
            ? String(parts[1].drop { $0 == " " }) : "leave the table out with --except"))
    }
  }
}
