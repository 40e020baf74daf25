internal import Synchronization

/// Hands a value from a thread to the task that waits for it. A continuation would suffice, but
/// ThreadSanitizer does not see what it hands over.
final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func put(_ new: Value) { value.withLock { $0 = new } }

  /// Returns the value, which was put before.
  func take() -> Value { value.withLock { $0! } }
}
