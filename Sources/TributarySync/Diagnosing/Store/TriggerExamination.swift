import TributaryStore

/// Triggers that do not fire on an import although they would have to.
struct TriggerExamination: Examination {
  let store: StoreSubject

  let subject = "the triggers"

  func examine(_ findings: inout [Finding]) throws {
    for text in try ImportTriggers(store.connection).findings() {
      let parts = text.split(separator: ";", maxSplits: 1)
      findings.append(
        Finding(
          .trigger, .warning, path: store.path, String(parts[0]),
          remedy: parts.count > 1
            ? String(parts[1].drop { $0 == " " }) : "divide it into two triggers"))
    }
  }
}
