import Foundation
import TributaryStore
import TributarySync

/// A store that a thread keeps synchronised.
final class WatchingStore {
  private let signal = StopSignal()
  private let done = DispatchSemaphore(value: 0)

  init(_ store: LocalStore, didImport: @escaping @Sendable (SyncReport.Imported) -> Void) {
    store.onCommit { [signal] _ in signal.wake() }
    let session = SyncSession(store: store)
    Thread { [signal, done] in
      defer { done.signal() }
      do {
        try session.watch(intervalMilliseconds: 10_000, stop: signal, didImport: didImport) { _ in }
      } catch {
        // The measurement that waits for the store's imports then reports that nothing arrived.
      }
    }.start()
  }

  /// Ends the thread and waits for it.
  func stop() {
    signal.stop()
    done.wait()
  }
}
