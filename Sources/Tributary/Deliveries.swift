import Synchronization
import TributaryFiles

/// Calls handlers with one import after the other, while nothing of the store is held, so that they may
/// call anything of it.
final class Deliveries: Sendable {
  private struct State {
    var backlog = Backlog<ImportChange>()
    var isDelivering = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Has a change delivered later; never waits.
  func add(_ change: ImportChange) {
    state.withLock { if !$0.hasEnded { $0.backlog.append(change) } }
  }

  /// Delivers all on the calling thread, unless some thread does so already: that one may wait for
  /// this one.
  func deliver(_ post: (ImportChange) -> Void) {
    if begin() { run(post) }
  }

  /// Delivers all on a thread of its own.
  func deliverElsewhere(_ post: @escaping @Sendable (ImportChange) -> Void) {
    guard begin() else { return }
    do {
      _ = try WorkerThread(name: "tributary-post") { self.run(post) }
    } catch {
      // The system has no room for a thread now; it is delivered with the next one.
      state.withLock { $0.isDelivering = false }
    }
  }

  /// Delivers nothing more.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      state.backlog = Backlog()
    }
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isDelivering, !state.backlog.isEmpty else { return false }
      state.isDelivering = true
      return true
    }
  }

  private func run(_ post: (ImportChange) -> Void) {
    while true {
      let next = state.withLock { state -> ImportChange? in
        let next = state.backlog.next()
        if next == nil { state.isDelivering = false }
        return next
      }
      guard let next else { return }
      post(next)
    }
  }
}
