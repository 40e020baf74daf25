import TributaryCore
import TributaryStore

/// A failure to apply transactions that have arrived.
package struct MergeError: Error, Sendable {
  package enum Code: String, Sendable {
    /// A constraint of the tables would not hold.
    case constraint
    /// The log names a table or column that does not exist here, or a different key.
    case schema
    /// The bytes of a record violate the format.
    case malformed
  }

  package var code: Code
  package var message: String
  package var remedy: String
  /// The last transaction that wrote the row that breaks a constraint, if that row is known.
  package var author: Conflict.Side?
  /// Whether the log names a different key, so that no schema of other devices helps.
  package var concernsKey = false

  package init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}

extension MergeError {
  /// Returns the error for a table whose key on the device that wrote a log differs from the key here.
  package static func otherKey(_ message: String, of table: String) -> MergeError {
    var error = MergeError(
      .schema, message, remedy: oneKey("the table needs one key on all devices", table))
    error.concernsKey = true
    return error
  }

  /// Returns a remedy that gives all devices the same key.
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
