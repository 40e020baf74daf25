import TributaryCore
public import TributaryStore

/// Why transactions that have arrived could not be applied.
public struct MergeError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A constraint of the tables would not hold.
    case constraint
    /// The log names a table or column that is not here, or another key.
    case schema
    /// Bytes of a record are not what the format allows.
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
  /// Why, without the kind of it.
  public var refusal: Refusal { Refusal(message, remedy: remedy) }
}

extension MergeError: CustomStringConvertible {
  public var description: String { "\(refusal)" }
}
