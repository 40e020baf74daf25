import TributaryStore

/// Whether the bookkeeping has all its tables.
struct BookkeepingTableExamination: Examination {
  let store: StoreSubject

  let subject = "the tables of the bookkeeping"

  func examine(_ findings: inout [Finding]) throws {
    for discrepancy in try BookkeepingSchema.discrepancies(in: store.connection) {
      findings.append(
        store.damage(.bookkeeping, discrepancy, remedy: Remedy.attachAgain))
    }
  }
}
