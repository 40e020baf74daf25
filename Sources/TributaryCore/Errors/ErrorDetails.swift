/// The parts of an error.
public struct ErrorDetails: Sendable {
  /// The kind of failure, for programs to act on; the texts are for people.
  public var code: ErrorCode
  /// What was found, as a phrase without a full stop.
  public var message: String
  /// The file or directory concerned; `nil` if there is none.
  public var path: String?
  /// What the user can do about it; empty if the message says it.
  @Worded public var remedy: String
  /// The error of the layer below; `nil` if there is none.
  public var underlying: (any Error)?

  /// Gathers the parts of an error.
  public init(
    _ code: ErrorCode, _ message: String, path: String? = nil, remedy: String,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.remedy = remedy
    self.underlying = underlying
  }

  /// What was found, and what to do about it.
  package var text: String { remedy.isEmpty ? message : "\(message); \(remedy)" }
}
