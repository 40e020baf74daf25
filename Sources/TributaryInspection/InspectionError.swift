/// The error that a question about logs cannot be answered.
package struct InspectionError: Error, Sendable, CustomStringConvertible {
  package let message: String
  package let remedy: String

  init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  package var description: String { "\(message); \(remedy)" }
}
