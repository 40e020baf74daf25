internal import Synchronization
internal import TributaryContainer
package import TributaryFiles

/// Reads the headers of logs.
package enum LogSegments {
  /// From this number of files on, several threads are worthwhile: most of the time is spent waiting for the
  /// file system.
  private static let parallelCount = 256
  private static let threadCount = 4

  /// Reads the headers of all segments.
  ///
  /// Files that have disappeared since they were listed are not findings: their author is compacting its log.
  /// The segments that replaced them are read instead.
  ///
  /// - Parameter report: receives a finding for each header that cannot be read; the others are returned.
  /// - Throws: `FileError` if the system has no room for threads.
  package static func read(
    _ logs: [PeerLog], using fileSystem: any FileSystem = LocalFileSystem(),
    report: (LogFinding) -> Void
  ) throws -> [LogSegment] {
    for log in logs {
      guard let failure = log.failure, let directory = log.directory else { continue }
      report(LogFinding(path: directory, failure))
    }
    let paths = logs.flatMap(\.paths)
    var segments: [LogSegment] = []
    segments.reserveCapacity(paths.count)
    var missing: Set<String> = []
    for (path, result) in zip(paths, try results(paths, fileSystem)) {
      switch result {
      case .success(let segment): segments.append(segment)
      case .failure(let error as FileError)
      where error.isMissing && path.parentDirectory.lastPathComponent == "log":
        missing.insert(path.parentDirectory)
      case .failure(let error): report(LogFinding(path: path, error))
      }
    }
    var known = Set(paths)
    return segments + others(than: &known, in: missing.sorted(), fileSystem, report: report)
  }

  /// Lists the peers' directories again, and reads the headers of segments that were not listed before.
  static func others(
    than known: inout Set<String>, in directories: [String], _ fileSystem: any FileSystem,
    report: (LogFinding) -> Void
  ) -> [LogSegment] {
    var segments: [LogSegment] = []
    for directory in directories where directory.lastPathComponent == "log" {
      // A directory that can no longer be listed has nothing to read.
      let names = ((try? fileSystem.list(directory)) ?? []).compactMap { SegmentName($0.name) }
      for name in names.sorted() {
        let path = directory.appending(component: name.description)
        guard known.insert(path).inserted else { continue }
        do { segments.append(try LogSegment(reading: path, fileSystem)) } catch {
          report(LogFinding(path: path, error))
        }
      }
    }
    return segments
  }

  private typealias Results = [Result<LogSegment, any Error>]

  private static func results(
    _ paths: [String], _ fileSystem: any FileSystem
  ) throws -> Results {
    guard paths.count >= parallelCount else { return read(paths[...], fileSystem) }
    let size = (paths.count + threadCount - 1) / threadCount
    let pieces = stride(from: 0, to: paths.count, by: size).map {
      Piece(paths[$0..<min($0 + size, paths.count)], fileSystem)
    }
    let threads = try pieces.dropFirst().map { piece in
      try WorkerThread(name: "headers") { piece.run() }
    }
    pieces[0].run()
    for thread in threads { thread.join() }
    return pieces.flatMap(\.results)
  }

  private static func read(
    _ paths: ArraySlice<String>, _ fileSystem: any FileSystem
  ) -> Results {
    paths.map { path in Result { try LogSegment(reading: path, fileSystem) } }
  }

  /// The part that one thread reads.
  private final class Piece: Sendable {
    private let paths: ArraySlice<String>
    private let fileSystem: any FileSystem
    private let read = Mutex<Results>([])

    init(_ paths: ArraySlice<String>, _ fileSystem: any FileSystem) {
      self.paths = paths
      self.fileSystem = fileSystem
    }

    var results: Results { read.withLock { $0 } }

    func run() {
      let results = LogSegments.read(paths, fileSystem)
      read.withLock { $0 = results }
    }
  }
}
