package import TributaryContainer
package import TributaryCore
package import TributaryFiles
internal import TributaryHorizon
package import TributaryLog

/// A baseline that declares a horizon: what came before may be in no segment any more.
package struct LogBaseline {
  /// The path of the file.
  package let path: String
  package let name: BaselineName
  package let header: BaselineHeader

  /// What lies beneath the horizon.
  package var horizon: Knowledge { header.declaration?.horizon ?? Knowledge() }

  /// The time of the last transaction beneath the horizon.
  package var time: HybridTime { header.entries.map(\.time).max() ?? .zero }

  /// Returns the baselines beside logs that declare a horizon and whose header can be read, the last one in the order
  /// of declarations first. Others say nothing about what the logs lack.
  ///
  /// - Complexity: reads one header for each baseline.
  package static func declared(
    beside logs: [PeerLog], using fileSystem: any FileSystem = LocalFileSystem()
  ) -> [LogBaseline] {
    var found: [LogBaseline] = []
    for directory in Set(logs.compactMap(\.directory)).sorted() {
      let baselines = directory.appending(component: "baseline")
      // Most peers have no such directory, and one that cannot be listed has nothing to read.
      for entry in (try? fileSystem.list(baselines)) ?? [] {
        guard let name = BaselineName(entry.name) else { continue }
        let path = baselines.appending(component: entry.name)
        // `doctor` reports those that cannot be read.
        guard let header = try? header(path, fileSystem), header.declaration != nil else {
          continue
        }
        found.append(LogBaseline(path: path, name: name, header: header))
      }
    }
    return found.sorted { $0.comes(before: $1) }
  }

  private static func header(
    _ path: String, _ fileSystem: any FileSystem
  ) throws -> BaselineHeader {
    let source = try LogFileSource(path, fileSystem)
    defer { source.close() }
    return try BaselineReader(source: source).header
  }

  private func comes(before other: LogBaseline) -> Bool {
    guard let own = header.declaration, let others = other.header.declaration, own != others else {
      return path < other.path
    }
    return others < own
  }
}
