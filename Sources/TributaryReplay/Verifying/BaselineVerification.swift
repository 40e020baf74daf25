internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

/// Reads the baselines beside logs to their end, and finds out where histories begin.
struct BaselineVerification {
  private let fileSystem: any FileSystem
  private let report: (LogFinding) -> Void

  /// - Parameter report: receives each finding.
  init(using fileSystem: any FileSystem, report: @escaping (LogFinding) -> Void) {
    self.fileSystem = fileSystem
    self.report = report
  }

  /// Checks all baselines.
  ///
  /// - Parameter contentNames: for each content directory, the content name to which its segments belong.
  /// - Returns: one for each directory of peers.
  func run(
    beside logs: [PeerLog], having coverage: LogCoverage, contentNames: [String: String]
  ) -> [LogBeginning] {
    logs.byContent(fileSystem).map { directory, logs in
      let (whole, damaged, failures) = read(directory, contentNames[directory.parentDirectory])
      let beginning = LogBeginning(
        directory, logs, coverage, usable: whole, damaged: damaged, fileSystem)
      for (file, error) in failures {
        report(LogFinding(baseline: file, error, consequence: beginning.consequence))
      }
      if let lack = beginning.lack {
        let message = "\(lack); \(LogBeginning.remedy)"
        report(LogFinding(.forgotten, path: directory, message: message))
      }
      return beginning
    }
  }

  /// Returns the baselines in a directory that declare a horizon, both whole and damaged ones, and all files
  /// that cannot be read to their end.
  private func read(
    _ directory: String, _ contentName: String?
  ) -> (
    whole: [LogBaseline], damaged: [LogBaseline], failures: [LogBaseline.Failure]
  ) {
    var whole: [LogBaseline] = []
    var damaged: [LogBaseline] = []
    var failures: [LogBaseline.Failure] = []
    for file in BaselineFile.all(in: directory, using: fileSystem) {
      var baseline: LogBaseline?
      do {
        let header = try file.header(using: fileSystem, contentName: contentName)
        baseline = LogBaseline(file, header)
        try file.read(using: fileSystem)
        if let baseline { whole.append(baseline) }
      } catch {
        if let baseline { damaged.append(baseline) }
        failures.append((file, error))
      }
    }
    return (whole, damaged, failures)
  }
}
