import TributaryContainer

extension Output {
  /// Reports it where results go to standard output.
  func report(_ finding: LogFinding) { problem("\(finding.path): \(finding.message)") }
}
