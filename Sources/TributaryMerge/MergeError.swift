public import TributaryCore

/// A failure to apply transactions that have arrived.
public struct MergeError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A constraint of the tables would not hold.
    case constraint
    /// The log names a table or column that does not exist here, or another key.
    case schema
    /// The bytes of a record violate the format.
    case malformed
  }

  public var code: Code
  public var message: String
  public var remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}

extension MergeError {
  /// The reason, without the kind of failure.
  public var refusal: Refusal { Refusal(message, remedy: remedy) }
}

extension MergeError: CustomStringConvertible {
  public var description: String { "\(refusal)" }
}
