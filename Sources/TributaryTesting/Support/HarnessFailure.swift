/// A violation that a history must not produce.
package struct HarnessFailure: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

/// Checks a condition.
///
/// - Throws: `HarnessFailure` unless the condition holds.
package func demand(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw HarnessFailure(message()) }
}
