/// An error that consists only of its parts.
public protocol DetailedError: TributaryError {
  /// The parts of the error.
  var details: ErrorDetails { get set }

  /// Makes the error from its parts.
  init(_ details: ErrorDetails)
}

extension DetailedError {
  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - message: what was found, as a phrase without a full stop.
  ///   - path: the file or directory concerned.
  ///   - remedy: what the user can do about it.
  ///   - underlying: the error of the layer below.
  public init(
    _ code: ErrorCode, _ message: String, path: String? = nil, remedy: String,
    underlying: (any Error)? = nil
  ) {
    self.init(
      ErrorDetails(code, message, path: path, remedy: remedy, underlying: underlying))
  }

  /// The kind of failure, for programs to act on; the texts are for people.
  public var code: ErrorCode {
    get { details.code }
    set { details.code = newValue }
  }

  /// What was found, as a phrase without a full stop.
  public var message: String {
    get { details.message }
    set { details.message = newValue }
  }

  /// The file or directory concerned; `nil` if there is none.
  public var path: String? {
    get { details.path }
    set { details.path = newValue }
  }

  /// What the user can do about it; empty if the message says it.
  public var remedy: String {
    get { details.remedy }
    set { details.remedy = newValue }
  }
}
