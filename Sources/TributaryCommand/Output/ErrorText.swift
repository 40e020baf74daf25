import Glibc
import TributaryFiles

/// The one line that stands for an error: what, which file, the remedy.
func errorText(_ error: any Error) -> String {
  switch error {
  case let error as FileError: "\(error); \(error.remedy)"
  case OutputError.closed: "standard output is closed; give it a reader"
  case OutputError.failed(let code):
    "write standard output: \(String(cString: strerror(code))); free space where it goes to"
  default: "\(error)"
  }
}
