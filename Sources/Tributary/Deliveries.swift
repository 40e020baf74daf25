import Synchronization
import TributaryFiles

/// Calls handlers with one import after another. No lock of the store is held meanwhile, so a handler may
/// call any of its methods.
final class Deliveries: Sendable {
  private struct State {
    var backlog = Backlog<ImportChange>()
    var isDelivering = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Queues a change for delivery; never waits.
  func add(_ change: ImportChange) {
    state.withLock { if !$0.hasEnded { $0.backlog.append(change) } }
  }

  /// Delivers everything on the calling thread, unless another thread is delivering already: that
  /// thread may be waiting for this one.
  func deliver(_ post: (ImportChange) -> Void) {
    if begin() { run(post) }
  }

  /// Delivers everything on a thread of its own.
  func deliverElsewhere(_ post: @escaping @Sendable (ImportChange) -> Void) {
    guard begin() else { return }
    do {
      _ = try WorkerThread(name: "tributary-post") { self.run(post) }
    } catch {
      // The system has no room for a thread now. The change is delivered with the next one.
      state.withLock { $0.isDelivering = false }
    }
  }

  /// Stops all delivery.
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
