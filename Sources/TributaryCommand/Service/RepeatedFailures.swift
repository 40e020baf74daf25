/// Decides which failures of one thing are said, from one success to the next: each once, and one that goes on again when
/// it has come 16, 32, 64 … times.
package struct RepeatedFailures {
  /// By the text of each: how often it has come.
  private var counts: [String: Int] = [:]
  /// How many there were.
  package private(set) var total = 0

  /// A failure that goes on is said again when it has come so often, and then each time that this has doubled.
  private static let firstReminder = 16
  /// More different texts are not remembered: one that always differs is said each time.
  private static let limit = 64

  /// Nothing has failed.
  package init() {}

  /// Notes a failure.
  ///
  /// - Returns: how often it has come by now, if that is to be said; `nil` if not.
  package mutating func note(_ text: String) -> Int? {
    total += 1
    if counts[text] == nil, counts.count >= Self.limit { counts.removeAll() }
    let count = counts[text, default: 0] + 1
    counts[text] = count
    let isReminder = count >= Self.firstReminder && count & (count - 1) == 0
    return count == 1 || isReminder ? count : nil
  }
}
