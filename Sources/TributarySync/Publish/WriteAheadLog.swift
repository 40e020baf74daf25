import Synchronization
import TributaryFiles

/// The write-ahead log beside a database that stays open while this object is used, or until `forget`.
final class WriteAheadLog: Sendable {
  /// SQLite leaves the file in its place while any process has the database open, so its name is made durable
  /// only once.
  private let hasDurableName = Atomic(false)

  /// Must be called when the database was closed: SQLite may remove the file and create another.
  func forget() { hasDurableName.store(false, ordering: .relaxed) }

  /// Makes the commits in the log durable, together with the directory entry of the file.
  ///
  /// Opening and closing this file is safe while SQLite uses it: SQLite locks the database and the shared
  /// memory, but not the log. Commits that are no longer in the log were synced with the database by a
  /// checkpoint.
  func synchronize(of database: String, using fileSystem: any FileSystem) throws(FileError) {
    let path = database + "-wal"
    do {
      try fileSystem.synchronize(path)
      guard !hasDurableName.load(ordering: .relaxed) else { return }
      try fileSystem.synchronizeDirectory(path.parentDirectory)
      hasDurableName.store(true, ordering: .relaxed)
    } catch {
      // A log that is there now has commits that were not made durable.
      guard error.isMissing, try fileSystem.status(path) == nil else { throw error }
    }
  }
}
