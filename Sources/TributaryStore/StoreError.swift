public import TributaryCore

/// A store's refusal, and the reason.
public struct StoreError: DetailedError {
  /// The parts of the error.
  public var details: ErrorDetails

  /// Makes the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }
}

extension StoreError {
  /// Returns the error for impossible bookkeeping.
  package static func damaged(_ message: String, path: String) -> StoreError {
    StoreError(
      .damaged, message, path: path,
      remedy: "run `tributary rebuild`; if it cannot, move the file away and attach again")
  }
}
