/// The result of a wait.
package struct WatchEvents: Hashable, Sendable {
  /// The events in the order in which they happened.
  package var events: [WatchEvent] = []
  /// Whether events were lost because they were not fetched in time. If so, list everything again.
  package var overflowed = false
  /// Whether a thread called `wake`.
  package var woken = false

  /// Makes an empty result.
  package init() {}
}
