import Synchronization

/// What came in, from any thread, in order.
package final class Recorded<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  /// In memory of its own: ThreadSanitizer does not see that who appends waits for who reads.
  package var all: [Element] { elements.withLock { $0.map(\.self) } }

  package func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
