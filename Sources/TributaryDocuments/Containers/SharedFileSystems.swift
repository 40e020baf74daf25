internal import Synchronization
internal import TributaryFiles

/// The file systems for directories of containers, which may hang. There is one for each directory, so that
/// all documents in it share a thread, and documents elsewhere do not wait for it.
enum SharedFileSystems {
  /// The longest time of one operation.
  static let limit = Duration.seconds(30)

  private static let all = Mutex<[String: BoundedFileSystem]>([:])

  /// Returns the file system for a directory.
  static func bounded(for directory: String) -> BoundedFileSystem {
    all.withLock { all in
      if let known = all[directory] { return known }
      let new = BoundedFileSystem(LocalFileSystem(), executor: BoundedExecutor(limit: limit))
      all[directory] = new
      return new
    }
  }
}
