/// Something that must be true of any input, and was not.
package struct FuzzFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// - Throws: when `condition` is not true.
  static func demand(_ condition: Bool, _ text: @autoclosure () -> String) throws(FuzzFailure) {
    guard condition else { throw FuzzFailure(text()) }
  }
}
