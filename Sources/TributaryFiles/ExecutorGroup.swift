internal import Synchronization

/// Executors for one place, such as a container with many stores: where several of them hang, the others need not find
/// out one by one, with a thread each.
package final class ExecutorGroup: Sendable {
  /// One operation may hang on one file; this many mean that the place does not answer.
  private static let limit = 4

  private let stuck = Atomic(0)

  /// Makes a group of none.
  package init() {}

  /// Whether operations of several executors have been given up and have not returned.
  package var isStuck: Bool { stuck.load(ordering: .relaxed) >= Self.limit }

  func begin() { stuck.add(1, ordering: .relaxed) }

  func end() { stuck.subtract(1, ordering: .relaxed) }
}
