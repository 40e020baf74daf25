/// Reads intervals from the command line.
package enum IntervalText {
  /// Returns an interval in milliseconds.
  ///
  /// - Returns: `nil` if the option was not given.
  /// - Throws: `UsageError` for text that is not an interval.
  package static func milliseconds(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> Int? {
    guard let text = arguments[option] else { return nil }
    // More than a day is not a useful interval, and would not fit a timer everywhere.
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 86400 else {
      throw UsageError("--\(option.long) takes seconds from 0.001 to 86400, not '\(text)'")
    }
    return Int(seconds * 1000)
  }
}
