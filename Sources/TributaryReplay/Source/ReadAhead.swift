internal import Synchronization
package import TributaryFiles

/// Reads and verifies the segments that an import needs next, on separate threads, while it applies the one
/// before them.
///
/// Each segment is read once and kept until it is no longer needed, as far as there is room; a segment that
/// is too large is read directly from its file. Small segments are read together.
package final class ReadAhead: Sendable {
  /// Checks that a file is complete and intact.
  typealias Verification = @Sendable (SourceFile) throws -> Void

  private let files: FilesAtHand
  /// For each path, the thread that is reading the file or has read it.
  private let threads = Mutex<[String: WorkerThread]>([:])

  /// The number of following segments to consider.
  static let reach = 32
  /// As long as this many have been started, no more need to be.
  private static let least = 16

  package init(_ fileSystem: any FileSystem) { files = FilesAtHand(fileSystem) }

  /// The files that have been read, and direct access to all others.
  package var fileSystem: any FileSystem { files }

  /// Reads the small segments among several at once.
  package func fetch(_ segments: [SourceFile]) { files.fetchTogether(segments.map(\.path)) }

  /// Starts reading segments of a peer that will be needed, in this order.
  func begin(_ wanted: [SourceFile], _ verify: @escaping Verification) {
    threads.withLock { threads in
      guard
        let first = wanted.firstIndex(where: { threads[$0.path] == nil && !files.has($0.path) }),
        first < Self.least
      else { return }
      let batch = Array(wanted[first...])
      // If no thread can be started, they are read when they are needed.
      let thread = try? WorkerThread(name: "read-ahead") { [self] in read(batch, verify) }
      for file in batch { threads[file.path] = thread }
    }
  }

  private func read(_ batch: [SourceFile], _ verify: Verification) {
    // A file that cannot be read now will fail again when it is needed, and is reported then.
    if (try? files.fetch(batch[0].path)) == true {
      try? verify(batch[0])
    }
    fetch(Array(batch.dropFirst()))
    for file in batch.dropFirst() {
      if files.has(file.path) {
        try? verify(file)
      } else {
        // The file is large, and is read when its turn comes.
        _ = threads.withLock { $0.removeValue(forKey: file.path) }
      }
    }
  }

  /// Waits until a segment has been read, or reads it now. Must be called before the segment is opened.
  func prepare(_ path: String) {
    threads.withLock { $0[path] }?.join()
    // As above: a failure is reported when the file is needed.
    _ = try? files.fetch(path)
  }

  /// Releases a segment.
  func release(_ path: String) {
    files.remove(path)
    _ = threads.withLock { $0.removeValue(forKey: path) }
  }
}
