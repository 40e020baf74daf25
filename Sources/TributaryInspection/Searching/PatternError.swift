/// A pattern that cannot be used, or not any further.
package struct PatternError: Error, Hashable, CustomStringConvertible {
  /// What the system says of it.
  package let description: String

  init(_ description: String) { self.description = description }
}
