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
    for text in try ImportTriggers(store.connection).notes() {
      findings.append(
        Finding(
          .trigger, .note, path: store.path, text,
          remedy: "nothing need be done where every device has the trigger"))
    }
  }
}
