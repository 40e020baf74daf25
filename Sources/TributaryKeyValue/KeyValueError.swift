public import TributaryCore

/// A refusal of a key-value store, and the reason. Nothing has changed then.
public struct KeyValueError: DetailedError {
  /// The parts of the error.
  public var details: ErrorDetails

  /// Makes the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }
}
