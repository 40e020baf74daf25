/// The pause before another attempt, which grows with each failed attempt.
package struct GrowingPause {
  private static let first = Duration.seconds(1)
  private static let longest = Duration.seconds(60)

  private var next = Self.first

  package init() {}

  /// Returns the next pause.
  package mutating func take() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// Starts over after a success.
  package mutating func reset() { next = Self.first }
}
