import Synchronization

/// Reports once that metrics cannot be written, and again when the reason changes.
final class MetricsFailures: Sendable {
  private let last = Mutex<String?>(nil)
  private let report: @Sendable (String) -> Void

  init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

  func attempt(_ body: () throws -> Void) {
    do {
      try body()
      last.withLock { $0 = nil }
    } catch {
      let text = "the metrics were not written: \(errorText(error))"
      let isKnown = last.withLock { last in
        defer { last = text }
        return last == text
      }
      if !isKnown { report(text) }
    }
  }
}
