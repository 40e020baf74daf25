import Glibc
import Synchronization
import Testing

/// Waits until something is so, for a minute at most unless told.
func eventually(
  within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + limit
  while try !condition() {
    try #require(ContinuousClock.now < end, "it does not come", sourceLocation: sourceLocation)
    usleep(2000)
  }
}

/// What came in, from any thread, in order.
final class Recorded<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  /// In memory of its own: ThreadSanitizer does not see that who appends waits for who reads.
  var all: [Element] { elements.withLock { $0.map(\.self) } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
