internal import Synchronization

/// The executors for one place, such as a container with many stores. If several of them hang, the others
/// need not find this out one by one, each with a thread.
package final class ExecutorGroup: Sendable {
  /// A single operation may hang because of one file; this many mean that the place does not answer.
  private static let limit = 4

  private let stuck = Atomic(0)

  /// Makes an empty group.
  package init() {}

  /// Whether operations of several executors were given up and have not returned.
  package var isStuck: Bool { stuck.load(ordering: .relaxed) >= Self.limit }

  func begin() { stuck.add(1, ordering: .relaxed) }

  func end() { stuck.subtract(1, ordering: .relaxed) }
}
