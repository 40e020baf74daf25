public import TributaryCore
package import TributaryFiles

/// A failure to find a container, or to do something with a document.
public struct DocumentError: DetailedError {
  /// The parts of the error.
  public var details: ErrorDetails

  /// Makes the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }

  /// Converts the failure of an operation on a file.
  package init(_ error: FileError) {
    let message =
      error.isUnresponsive
      ? "it does not answer (\(error.operation)): the mount hangs"
      : "\(error.operation): \(error.message)"
    self.init(
      error.isMissing ? .missing : .inaccessible, message, path: error.path, remedy: error.remedy,
      underlying: error)
  }
}
