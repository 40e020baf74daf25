/// A failure to print.
package enum OutputError: Error, Hashable {
  /// The pipe is closed: there is no longer a reader.
  case closed
  /// Any other failure, by its `errno`.
  case failed(code: Int32)
}
