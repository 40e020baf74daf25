import TributaryFiles

/// Reads the headers of logs.
enum LogSegments {
  /// - Parameter report: is told of each header that cannot be read; the others are returned.
  static func read(_ logs: [PeerLog], report: (LogFinding) -> Void) -> [LogSegment] {
    let fileSystem = LocalFileSystem()
    var segments: [LogSegment] = []
    for path in logs.flatMap(\.paths) {
      do {
        segments.append(try LogSegment(reading: path, fileSystem))
      } catch {
        report(LogFinding(path: path, error))
      }
    }
    return segments
  }
}
