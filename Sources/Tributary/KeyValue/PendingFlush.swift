import Foundation
import Synchronization
import TributaryKeyValue

/// Writes, when the interval is over, what was set shortly after another set.
final class PendingFlush: Sendable {
  struct Target {
    weak var engine: KeyValueEngine?
  }

  let engine = Mutex(Target())
  let didFail = Mutex<(@Sendable (any Error) -> Void)?>(nil)

  func schedule(after delay: Duration) {
    let nanoseconds = Int(clamping: Int64(delay / .nanoseconds(1)))
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
      guard let failure = engine.withLock({ $0.engine })?.flushPending() else { return }
      didFail.withLock { $0 }?(failure)
    }
  }
}
