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

  /// Returns the baselines in a directory of peers whose headers can be read. `doctor` and `log verify`
  /// report the others.
  ///
  /// - Complexity: reads one header for each baseline.
  package static func declared(
    in peers: String, using fileSystem: any FileSystem
  ) -> [LogBaseline] {
    BaselineFile.all(in: peers, using: fileSystem).compactMap { file in
      (try? file.header(using: fileSystem)).flatMap { LogBaseline(file, $0) }
    }
  }

  /// Whether this baseline is to be used before another one: it comes later in the order of declarations.
  func comes(before other: LogBaseline) -> Bool {
    declaration == other.declaration ? path < other.path : other.declaration < declaration
  }
}
