internal import Synchronization

/// Threads that are borrowed for blocking work and kept for a while afterwards, since the next borrower
/// usually comes soon.
final class SpareThreads: Sendable {
  static let shared = SpareThreads()

  /// How long a thread waits for the next borrower before it ends.
  private static let patience = Duration.seconds(10)

  /// A waiting thread.
  ///
  /// The unchecked Sendable conformance is safe: the work is accessed only while the condition's lock is
  /// held.
  private final class Idle: @unchecked Sendable {
    let condition = Condition()
    var body: (@Sendable () -> Void)?
  }

  /// The waiting threads. The one that has waited least is at the end and is taken first, so that threads
  /// that are not needed come to their end.
  private let idle = Mutex<[Idle]>([])

  private init() {}

  /// Runs `body` on a thread.
  ///
  /// - Throws: `FileError` if the system cannot make another thread.
  func run(_ body: @escaping @Sendable () -> Void) throws(FileError) {
    if let thread = idle.withLock({ $0.popLast() }) {
      thread.condition.locked {
        thread.body = body
        thread.condition.signal()
      }
      return
    }
    _ = try WorkerThread(name: "tributary-spare") {
      body()
      self.wait()
    }
  }

  /// Works for later borrowers.
  private func wait() {
    let own = Idle()
    while let body = next(own) { body() }
  }

  private func next(_ own: Idle) -> (@Sendable () -> Void)? {
    var end: Duration? = Condition.now() + Self.patience
    idle.withLock { $0.append(own) }
    return own.condition.locked {
      while own.body == nil {
        if own.condition.wait(until: end) || own.body != nil { continue }
        let isFree = idle.withLock { idle in
          guard let place = idle.firstIndex(where: { $0 === own }) else { return false }
          idle.remove(at: place)
          return true
        }
        if isFree { return nil }
        // A borrower has taken it from the list, and brings work.
        end = nil
      }
      return own.body.take()
    }
  }
}
