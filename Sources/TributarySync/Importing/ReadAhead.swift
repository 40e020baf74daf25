import Synchronization
import TributaryContainer
import TributaryFiles

/// Reads and verifies the segments that an import comes to next on a thread of their own, while the
/// one before them is being applied.
///
/// Each is read once and kept until it is done with, as far as there is room; one that is too large
/// is read where it lies. Small ones are read together.
final class ReadAhead: Sendable {
  private let environment: Environment
  private let files: FilesAtHand
  private let verified: VerifiedSegments
  /// By path: who reads them, or has read them.
  private let threads = Mutex<[String: WorkerThread]>([:])

  /// So many segments are looked at that follow one.
  static let reach = 32
  /// While so many have been begun with, there is no need to go on.
  private static let least = 16

  init(_ environment: Environment, verified: VerifiedSegments) {
    self.environment = environment
    files = FilesAtHand(environment.fileSystem)
    self.verified = verified
  }

  /// What has been read, and all the rest where it lies.
  var fileSystem: any FileSystem { files }

  /// Reads the small ones of several segments at once.
  func fetch(_ segments: [SegmentFile]) { environment.fetch(segments.map(\.path), into: files) }

  /// Begins with segments of a peer that will be wanted, in this order.
  func begin(_ wanted: [SegmentFile], in segments: SegmentStore) {
    threads.withLock { threads in
      guard
        let first = wanted.firstIndex(where: { threads[$0.path] == nil && !files.has($0.path) }),
        first < Self.least
      else { return }
      let batch = Array(wanted[first...])
      // Without a thread they are read when they are wanted.
      let thread = try? WorkerThread(name: "read-ahead") { [self] in read(batch, segments) }
      for file in batch { threads[file.path] = thread }
    }
  }

  private func read(_ batch: [SegmentFile], _ segments: SegmentStore) {
    // What cannot be read now fails again when it is wanted, and is reported then.
    if (try? files.fetch(batch[0].path)) == true {
      try? verified.verify(batch[0].name, in: segments)
    }
    fetch(Array(batch.dropFirst()))
    for file in batch.dropFirst() {
      if files.has(file.path) {
        try? verified.verify(file.name, in: segments)
      } else {
        // It is large, and its turn comes when it is next.
        _ = threads.withLock { $0.removeValue(forKey: file.path) }
      }
    }
  }

  /// To be called before a segment is opened: waits until it has been read, or reads it now.
  func prepare(_ file: SegmentFile) {
    threads.withLock { $0[file.path] }?.join()
    // As above.
    _ = try? files.fetch(file.path)
  }

  /// Lets go of a segment.
  func release(_ file: SegmentFile) {
    files.remove(file.path)
    _ = threads.withLock { $0.removeValue(forKey: file.path) }
  }
}
