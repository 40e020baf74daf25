import Synchronization
import TributaryFiles

/// Calls handlers with one import after another. No lock of the store is held during the call, so a handler
/// may call any method of the store.
final class Deliveries: Sendable {
  private struct State {
    var backlog = Backlog<ImportChange>()
    var isDelivering = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Queues a change for delivery. Never waits.
  func add(_ change: ImportChange) {
    state.withLock { if !$0.hasEnded { $0.backlog.append(change) } }
  }

  /// Delivers everything on the calling thread, unless another thread is already delivering: that thread may
  /// be waiting for this one.
  func deliver(_ post: (ImportChange) -> Void) {
    if begin() { run(post) }
  }

  /// Delivers everything on a separate thread.
  func deliverElsewhere(_ post: @escaping @Sendable (ImportChange) -> Void) {
    guard begin() else { return }
    do {
      _ = try WorkerThread(name: "tributary-post") { self.run(post) }
    } catch {
      // The system cannot make a thread now. This change is delivered with the next one.
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
