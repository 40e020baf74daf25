import TributaryCore
import TributaryStore

/// A failure to apply transactions that have arrived.
package struct MergeError: Error, Sendable {
  package enum Code: String, Sendable {
    /// A constraint of the tables would not hold.
    case constraint
    /// The log names a table or column that does not exist here, or another key.
    case schema
    /// The bytes of a record violate the format.
    case malformed
  }

  package var code: Code
  package var message: String
  package var remedy: String
  /// The last transaction that wrote the row, if it is known which one breaks a constraint.
  package var author: Conflict.Side?
  /// Whether it is another key that the log names: no schema of others helps.
  package var concernsKey = false

  package init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}

extension MergeError {
  /// The reason, without the kind of failure.
  package var refusal: Refusal { Refusal(message, remedy: remedy) }
}

extension MergeError: CustomStringConvertible {
  package var description: String { "\(refusal)" }
}
