internal import Glibc

/// Threads that are borrowed for work that blocks, and kept for a moment afterwards, since the next borrower mostly
/// comes soon.
///
/// Sendable although unchecked: all mutable state is accessed only while the lock is held.
final class SpareThreads: @unchecked Sendable {
  static let shared = SpareThreads()

  /// How long a thread waits for the next borrower before it ends.
  private static let patience = Duration.seconds(10)

  private let condition = Condition()
  private var work: [@Sendable () -> Void] = []
  private var idle = 0

  private init() {}

  /// Runs `body` on a thread.
  ///
  /// - Throws: `FileError` if the system has no room for another thread.
  func run(_ body: @escaping @Sendable () -> Void) throws(FileError) {
    let isTaken = condition.locked {
      guard work.count < idle else { return false }
      work.append(body)
      condition.signal()
      return true
    }
    if isTaken { return }
    _ = try WorkerThread(name: "tributary-spare") {
      body()
      self.wait()
    }
  }

  /// Works for later borrowers.
  private func wait() {
    while let body = next() { body() }
  }

  private func next() -> (@Sendable () -> Void)? {
    condition.locked {
      let end = Condition.now() + Self.patience
      idle += 1
      defer { idle -= 1 }
      while work.isEmpty {
        if !condition.wait(until: end), work.isEmpty { return nil }
      }
      return work.removeFirst()
    }
  }
}
