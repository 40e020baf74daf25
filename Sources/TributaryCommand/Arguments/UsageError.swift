/// A command line that cannot be understood.
package struct UsageError: Error, Hashable {
  /// What is wrong, as a phrase without a full stop.
  package var message: String

  init(_ message: String) { self.message = message }
}
