import Synchronization
import TributaryContainer
import TributaryFiles

/// Reads and verifies the segments that an import comes to next on a thread of their own, while the
/// one before them is being applied.
///
/// Each is read once and kept until it is done with, as far as there is room; one that is too large
/// is read where it lies.
final class ReadAhead: Sendable {
  private let files: FilesAtHand
  private let verified: VerifiedSegments
  private let threads = Mutex<[String: WorkerThread]>([:])

  init(_ fileSystem: any FileSystem, verified: VerifiedSegments) {
    files = FilesAtHand(fileSystem)
    self.verified = verified
  }

  /// What has been read, and all the rest where it lies.
  var fileSystem: any FileSystem { files }

  /// Reads the small ones of several segments at once.
  func fetch(_ segments: [SegmentFile], in environment: Environment) {
    environment.fetch(segments.map(\.path), into: files)
  }

  /// Begins with a segment that will be wanted.
  func begin(_ file: SegmentFile, in segments: SegmentStore) {
    // Without a thread it is read when it is wanted.
    let thread = try? WorkerThread(name: "read-ahead") { [files, verified] in
      // What cannot be read now fails again when it is wanted, and is reported then.
      guard (try? files.fetch(file.path)) == true else { return }
      try? verified.verify(file.name, in: segments)
    }
    threads.withLock { $0[file.path] = thread }
  }

  /// To be called before a segment is opened: waits until it has been read, or reads it now.
  func prepare(_ file: SegmentFile) {
    if let thread = threads.withLock({ $0.removeValue(forKey: file.path) }) {
      thread.join()
    } else {
      // As above.
      _ = try? files.fetch(file.path)
    }
  }

  /// Lets go of a segment.
  func release(_ file: SegmentFile) { files.remove(file.path) }
}
