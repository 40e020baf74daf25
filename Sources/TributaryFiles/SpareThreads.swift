internal import Synchronization

/// Threads that are borrowed for work that blocks, and kept for a moment afterwards, since the next borrower mostly
/// comes soon. The one that was used last is lent first, so that those too many end.
final class SpareThreads: Sendable {
  typealias Body = @Sendable () -> Void

  static let shared = SpareThreads()

  /// How long a thread waits for the next borrower before it ends.
  private static let patience = Duration.seconds(10)

  private let idle = Mutex<[Place]>([])

  private init() {}

  /// Where a thread waits for work.
  ///
  /// Sendable although unchecked: the lock of the condition protects the work.
  private final class Place: @unchecked Sendable {
    private let change = Condition()
    private var work: Body?

    func give(_ body: @escaping Body) {
      change.locked {
        work = body
        change.signal()
      }
    }

    /// Waits for work.
    ///
    /// - Parameter end: `nil` waits until there is some.
    func take(until end: Duration?) -> Body? {
      change.locked {
        while work == nil, change.wait(until: end) {}
        defer { work = nil }
        return work
      }
    }
  }

  /// Runs `body` on a thread.
  ///
  /// - Throws: `FileError` if the system has no room for another thread.
  func run(_ body: @escaping Body) throws(FileError) {
    if let place = idle.withLock({ $0.popLast() }) { return place.give(body) }
    _ = try WorkerThread(name: "tributary-spare") {
      body()
      self.workOn()
    }
  }

  /// Works for later borrowers.
  private func workOn() {
    let place = Place()
    while let body = next(place) { body() }
  }

  private func next(_ place: Place) -> Body? {
    idle.withLock { $0.append(place) }
    if let body = place.take(until: Condition.now() + Self.patience) { return body }
    let isUnused = idle.withLock { idle in
      guard let index = idle.firstIndex(where: { $0 === place }) else { return false }
      idle.remove(at: index)
      return true
    }
    // Otherwise, somebody is about to give it work.
    return isUnused ? nil : place.take(until: nil)
  }
}
