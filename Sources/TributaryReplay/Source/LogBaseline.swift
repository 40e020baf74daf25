package import TributaryContainer
package import TributaryCore
package import TributaryFiles
package import TributaryHorizon
package import TributaryLog

/// A baseline that declares a horizon: earlier transactions may be in no segment any more.
package struct LogBaseline {
  package let file: BaselineFile
  package let header: BaselineHeader
  package let declaration: Declaration

  /// - Returns: `nil` for a baseline that declares nothing.
  init?(_ file: BaselineFile, _ header: BaselineHeader) {
    guard let declaration = header.declaration else { return nil }
    self.file = file
    self.header = header
    self.declaration = declaration
  }

  package var path: String { file.path }

  /// What lies below the horizon.
  package var horizon: Knowledge { declaration.horizon }

  /// The time of the last transaction below the horizon.
  package var time: HybridTime { header.entries.map(\.time).max() ?? .zero }

  /// Returns the baselines in a directory of peers whose headers can be read, and the files whose headers cannot
  /// be read. A file that has gone since it was listed is neither.
  ///
  /// - Complexity: reads one header for each baseline.
  static func declared(
    in peers: String, using fileSystem: any FileSystem
  ) -> (baselines: [LogBaseline], failures: [Failure]) {
    var baselines: [LogBaseline] = []
    var failures: [Failure] = []
    for file in BaselineFile.all(in: peers, using: fileSystem) {
      do {
        let header = try file.header(using: fileSystem)
        if let baseline = LogBaseline(file, header) { baselines.append(baseline) }
      } catch {
        if !isGone(error) { failures.append((file, error)) }
      }
    }
    return (baselines, failures)
  }

  /// A file that cannot be read, and why.
  typealias Failure = (file: BaselineFile, error: any Error)

  /// Whether an error says that the file is gone: its owner has replaced it by a later baseline.
  static func isGone(_ error: any Error) -> Bool {
    (error as? ContainerError)?.code == .missingFile
  }

  /// Reads the file to its end.
  ///
  /// - Throws: `ContainerError` if it is not whole.
  package func checkWhole(using fileSystem: any FileSystem = LocalFileSystem()) throws {
    try file.read(using: fileSystem)
  }

  /// Whether this baseline is to be used before another one: it comes later in the order of declarations.
  func comes(before other: LogBaseline) -> Bool {
    declaration == other.declaration ? path < other.path : other.declaration < declaration
  }
}
