/// What every error of the library says: what happened, where, and what to do about it.
///
/// ```swift
/// do {
///   try store.write(change)
/// } catch let error as any TributaryError where error.code == .closed {
///   …
/// }
/// ```
public protocol TributaryError: Error, Sendable, CustomStringConvertible {
  /// The parts of the error.
  var details: ErrorDetails { get }
}

extension TributaryError {
  /// The kind of failure, for programs to act on; the texts are for people.
  public typealias Code = ErrorCode

  /// The kind of failure, for programs to act on; the texts are for people.
  public var code: ErrorCode { details.code }

  /// What was found, as a phrase without a full stop.
  public var message: String { details.message }

  /// The file or directory concerned; `nil` if there is none.
  public var path: String? { details.path }

  /// What the user can do about it; empty if the message says it.
  public var remedy: String { details.remedy }

  /// The error of the layer below; `nil` if there is none.
  public var underlying: (any Error)? { details.underlying }

  /// One line: the file, what was found, and what to do about it.
  public var description: String {
    if let path, !path.isEmpty { "\(path): \(details.text)" } else { details.text }
  }
}
