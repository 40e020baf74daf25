import Synchronization

/// The elements received, from any thread, in order.
package final class Recorded<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  /// In separate memory: ThreadSanitizer does not see that appending waits for reading.
  package var all: [Element] { elements.withLock { $0.map(\.self) } }

  package func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
