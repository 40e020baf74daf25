/// Something that a history must not come to.
package struct HarnessFailure: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

/// - Throws: `HarnessFailure` unless the condition holds.
package func demand(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw HarnessFailure(message()) }
}
