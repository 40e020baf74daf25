/// A pattern that is invalid, or that the system could not continue to match.
package struct PatternError: Error, Hashable, CustomStringConvertible {
  /// The system's message.
  package let description: String

  init(_ description: String) { self.description = description }
}
