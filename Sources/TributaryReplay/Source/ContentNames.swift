internal import TributaryContainer
package import TributaryFiles
internal import TributaryLog

/// The content name to which the segments of each content directory belong.
///
/// The name of a directory is the name of its content. If a user has copied a directory under another name,
/// most of its segments decide. A header that says something else is damaged, or its file was brought to the
/// wrong place.
package struct ContentNames {
  /// The names, by the path of the content directory.
  package private(set) var names: [String: String] = [:]

  /// Finds the names of the directories that contain some segments.
  package init(of segments: [LogSegment]) {
    var counts: [String: [String: Int]] = [:]
    for segment in segments {
      guard let directory = segment.contentDirectory else { continue }
      counts[directory, default: [:]][segment.header.contentName, default: 0] += 1
    }
    for (directory, counts) in counts {
      let own = directory.lastPathComponent
      names[directory] =
        counts.keys.first { $0.utf8.elementsEqual(own.utf8) }
        // If several are equally frequent, the choice is always the same.
        ?? counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
  }

  /// Whether a segment belongs where it is, as far as its header says.
  package func fit(_ segment: LogSegment) -> Bool {
    guard let directory = segment.contentDirectory, let name = names[directory] else { return true }
    return name.utf8.elementsEqual(segment.header.contentName.utf8)
  }

  /// Returns the segments that belong where they are.
  ///
  /// - Parameter report: receives a finding for each of the others.
  package func fitting(
    _ segments: [LogSegment], using fileSystem: any FileSystem = LocalFileSystem(),
    report: (LogFinding) -> Void
  ) -> [LogSegment] {
    segments.filter { segment in
      if fit(segment) { return true }
      report(
        foreign(segment, using: fileSystem)
          ?? LogFinding(
            path: segment.path,
            LogError(.damaged, "the content name in its header is not the one that was written")))
      return false
    }
  }

  /// Returns the finding about a segment of another content; `nil` if the segment fits, or if its contents do
  /// not match its name: then it is damaged, whatever else its header says.
  package func foreign(_ segment: LogSegment, using fileSystem: any FileSystem) -> LogFinding? {
    guard let directory = segment.contentDirectory, let name = names[directory], !fit(segment)
    else { return nil }
    // A file that cannot be read now is not known to be damaged.
    if let hash = segment.name?.hash,
      let bytes = try? fileSystem.read(segment.path, limit: Int(clamping: segment.size)),
      bytes.withUnsafeBytes({ SegmentHash.hash($0) }) != hash
    {
      return nil
    }
    var finding = LogFinding(
      foreign: segment.path,
      message:
        "belongs to the content name \(segment.header.contentName.debugDescription), others here to "
        + name.debugDescription)
    finding.peer = segment.header.peer
    return finding
  }
}

extension LogSegment {
  /// The path of the content directory that contains the segment; `nil` if it is elsewhere.
  fileprivate var contentDirectory: String? {
    let log = path.parentDirectory
    let peers = log.parentDirectory.parentDirectory
    guard log.lastPathComponent == "log", peers.lastPathComponent == "peers" else { return nil }
    return peers.parentDirectory
  }
}
