/// The result of a wait.
public struct WatchEvents: Hashable, Sendable {
  /// The events in the order in which they happened.
  public var events: [WatchEvent] = []
  /// Whether events were lost because nobody fetched them in time. If so, list everything again.
  public var overflowed = false
  /// Whether a thread called `wake`.
  public var woken = false

  /// Makes an empty result.
  public init() {}
}
