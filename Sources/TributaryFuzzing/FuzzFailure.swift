/// A property that must hold for any input but did not.
package struct FuzzFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Checks a property.
  ///
  /// - Throws: if `condition` is false.
  static func demand(_ condition: Bool, _ text: @autoclosure () -> String) throws(FuzzFailure) {
    guard condition else { throw FuzzFailure(text()) }
  }
}
