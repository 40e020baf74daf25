import TributaryStore

/// Triggers that do not fire on an import although they would have to.
struct TriggerExamination: Examination {
  let store: StoreSubject

  let subject = "the triggers"

  func examine(_ findings: inout [Finding]) throws {
    for refusal in try ImportTriggers(store.connection).findings() {
      findings.append(
        Finding(
          .trigger, .warning, path: store.path, refusal.message, remedy: refusal.remedy))
    }
  }
}
