/// Decides which failures of one thing are reported, from one success to the next: each failure once, and a
/// persisting one again when it has occurred 16, 32, 64 … times.
package struct RepeatedFailures {
  /// How often each failure has occurred, by its text.
  private var counts: [String: Int] = [:]
  /// The number of failures.
  package private(set) var total = 0

  /// A persisting failure is reported again when it has occurred this often, and then each time the number
  /// has doubled.
  private static let firstReminder = 16
  /// The most texts that are remembered: a failure whose text always differs is reported each time.
  private static let limit = 64

  /// Starts without failures.
  package init() {}

  /// Notes a failure.
  ///
  /// - Returns: how often it has occurred by now, if that is to be reported; `nil` if not.
  package mutating func note(_ text: String) -> Int? {
    total += 1
    if counts[text] == nil, counts.count >= Self.limit { counts.removeAll() }
    let count = counts[text, default: 0] + 1
    counts[text] = count
    let isReminder = count >= Self.firstReminder && count & (count - 1) == 0
    return count == 1 || isReminder ? count : nil
  }
}
