import Glibc
import TributaryFiles
import TributarySync

/// Returns the line for an error: what happened, in which file, and the remedy.
func errorText(_ error: any Error) -> String {
  if let locked = SyncError(locked: error) { return "\(locked)" }
  let error = KeyValueArguments.namingRemedy(of: error)
  return switch error {
  case let error as FileError: "\(error); \(error.remedy)"
  case let error as OutputError: errorText(error, done: nil)
  default: "\(error)"
  }
}

/// Returns the line for a failure to print.
///
/// - Parameter done: what was done nevertheless.
func errorText(_ error: OutputError, done: String?) -> String {
  let done = done.map { "; \($0)" } ?? ""
  return switch error {
  case .closed: "standard output is closed\(done); give it a reader"
  case .failed(let code):
    "write standard output: \(String(cString: strerror(code)))\(done); free space at its destination"
  }
}
