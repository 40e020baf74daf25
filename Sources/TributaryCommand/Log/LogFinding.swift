import TributaryFiles
import TributaryLog

/// Something wrong with a log file.
struct LogFinding {
  let path: String
  let message: String

  init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  /// - Parameter error: what reading the file threw.
  init(path: String, _ error: any Error) {
    self.path = path
    switch error {
    case let error as FileError: message = "\(error.operation): \(error.message); \(error.remedy)"
    case let error as LogError: message = error.description
    default: message = "\(error)"
    }
  }
}

extension Output {
  /// Reports it where results go to standard output.
  func report(_ finding: LogFinding) { problem("\(finding.path): \(finding.message)") }
}
