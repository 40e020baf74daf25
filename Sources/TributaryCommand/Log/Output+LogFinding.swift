import TributaryReplay

extension Output {
  /// Reports damage in commands that print results to standard output.
  func report(_ finding: LogFinding) { problem("\(finding.path): \(finding.message)") }
}
