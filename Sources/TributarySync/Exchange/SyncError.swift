public import TributaryCore

/// A failure of the engine to do what was requested.
public struct SyncError: DetailedError {
  /// The parts of the error.
  public var details: ErrorDetails

  /// Creates the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }
}
