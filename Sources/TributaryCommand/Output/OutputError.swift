/// Why something could not be printed.
package enum OutputError: Error, Hashable {
  /// Nobody reads any more: the pipe is closed.
  case closed
  /// Anything else, by its `errno`.
  case failed(code: Int32)
}
