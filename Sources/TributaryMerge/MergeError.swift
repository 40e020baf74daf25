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
  /// Returns the error for a table that has another key on the device that wrote a log than here.
  package static func otherKey(_ message: String, of table: String) -> MergeError {
    var error = MergeError(
      .schema, message, remedy: oneKey("the table needs one key on all devices", table))
    error.concernsKey = true
    return error
  }

  /// Returns what ends that devices have different keys.
  static func oneKey(_ need: String, _ table: String) -> String {
    "\(need): on the one that is wrong, run `tributary detach --remove-logs`, give its table the key of the others or another "
      + "name, and attach again; if others have imported anything from it, run a migration with `-- tributary: drop \(table)` "
      + "on all devices instead, and make another table"
  }

  /// The reason, without the kind of failure.
  package var refusal: Refusal { Refusal(message, remedy: remedy) }
}

extension MergeError: CustomStringConvertible {
  package var description: String { "\(refusal)" }
}
