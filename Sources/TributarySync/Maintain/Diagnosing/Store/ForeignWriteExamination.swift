import TributaryCore
import TributaryStore

/// What other programs have written into the database: what is not recorded yet, and what nothing captured.
struct ForeignWriteExamination: Examination {
  let store: StoreSubject

  let subject = "the writes of other programs"

  func examine(_ findings: inout [Finding]) throws {
    let comparison = LogComparison(path: store.path, environment: store.environment)
    for found in try ForeignWrites(store.connection, comparison: comparison).findings() {
      findings.append(
        Finding(
          .foreignWrites, found.isUncaptured ? .warning : .note, path: store.path, found.text,
          remedy: found.remedy))
    }
  }
}
