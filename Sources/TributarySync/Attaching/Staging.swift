import Glibc
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A file beside the store in which a store is put together, and which then takes its place as a
/// whole.
///
/// An attempt that was cut off leaves nothing that counts: the next one begins anew.
struct Staging {
  let target: String
  let fileSystem: any FileSystem

  var path: String { target + "-tributary-staging" }

  /// Has the file put together, and in place when `body` returns; after a failure nothing of it is
  /// left.
  ///
  /// - Parameter original: the database there, which gets the contents; `nil` where there is none.
  func build<Result>(
    replacing original: ExclusiveDatabase? = nil, _ body: () throws -> Result
  ) throws -> Result {
    // What an attempt that was killed has left.
    try clear()
    do {
      let result = try body()
      if let original {
        try original.replaceContents(withThoseOf: path)
        try clear()
      } else {
        try install()
      }
      return result
    } catch {
      // What cannot be removed is overwritten by the next attempt.
      try? clear()
      throw naming(error)
    }
  }

  /// The user knows the store's own file only.
  private func naming(_ error: any Error) -> any Error {
    if var error = error as? StoreError, error.path == path {
      error.path = target
      return error
    }
    if var error = error as? SQLiteError, error.path == path {
      error.path = target
      return error
    }
    if var error = error as? AttachError {
      for index in error.refusals.indices where error.refusals[index].path == path {
        error.refusals[index].path = target
        error.refusals[index].cause = naming(error.refusals[index].cause)
      }
      return error
    }
    return error
  }

  /// Removes what is there of it.
  func clear() throws(FileError) {
    for suffix in ["", "-wal", "-shm", "-journal"] { try fileSystem.remove(path + suffix) }
  }

  /// Settings for a file that nobody has open and that may be lost: nothing is synced before the
  /// end.
  ///
  /// An import that starts anew rolls back, so there has to be a journal.
  func makeFast(_ connection: Connection) throws {
    try connection.execute(
      "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
  }

  /// Puts the finished file where there is none.
  private func install() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    // The mode is kept in the file, so that it is a store like any other from the first moment.
    try connection.execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try CommitSeal(connection).setAlone()
    connection.close()
    try fileSystem.synchronize(path)
    for suffix in ["-wal", "-shm", "-journal"] { try fileSystem.remove(target + suffix) }
    try fileSystem.rename(path, to: target)
    try fileSystem.synchronizeDirectory(target.parentDirectory)
  }
}
