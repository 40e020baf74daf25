import TributaryFiles

/// The write-ahead log beside a database.
struct WriteAheadLog {
  let path: String

  init(of database: String) { path = database + "-wal" }

  /// Makes the commits in it durable, with the directory entry of the file.
  ///
  /// Opening and closing this file is safe beside SQLite, which locks the database and the shared
  /// memory but not the log. Commits that are no longer in it were synced with the database by a
  /// checkpoint.
  func synchronize(using fileSystem: any FileSystem) throws(FileError) {
    do {
      try fileSystem.synchronize(path)
      try fileSystem.synchronizeDirectory(path.parentDirectory)
    } catch {
      if !error.isMissing { throw error }
    }
  }
}
