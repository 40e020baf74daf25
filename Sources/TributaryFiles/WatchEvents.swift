/// What a wait has brought.
public struct WatchEvents: Hashable, Sendable {
  /// In the order in which it happened.
  public var events: [WatchEvent] = []
  /// Whether events were lost because nobody fetched them in time: list everything again.
  public var overflowed = false
  /// Whether somebody called `wake`.
  public var woken = false

  /// Nothing.
  public init() {}
}
