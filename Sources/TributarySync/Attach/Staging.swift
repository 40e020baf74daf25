import Glibc
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A file beside the store in which a store is put together. It then takes the store's place as a whole.
///
/// An interrupted attempt leaves nothing that counts: the next one starts over.
struct Staging {
  let target: String
  let fileSystem: any FileSystem

  var path: String { target + Self.suffix }

  /// What the name of the file adds to the name of the store.
  static let suffix = "-tributary-staging"

  /// Runs `body` to put the file together, and installs the file when `body` returns. After a failure,
  /// nothing of it is left.
  ///
  /// - Parameter original: the present database, whose contents are replaced; `nil` if there is none.
  func build<Result>(
    replacing original: ExclusiveDatabase? = nil, _ body: () throws -> Result
  ) throws -> Result {
    // A killed attempt may have left files.
    try clear()
    do {
      let result = try body()
      if let original {
        try original.replaceContents(withThoseOf: path, fileSystem)
        try clear()
      } else {
        try install()
      }
      return result
    } catch {
      // The next attempt overwrites what cannot be removed.
      try? clear()
      throw naming(error)
    }
  }

  /// Provides the file for the duration of `body`. It is removed afterwards.
  func lend<Result>(_ body: () throws -> Result) throws -> Result {
    // A killed attempt may have left files.
    try clear()
    // The next attempt overwrites what cannot be removed.
    defer { try? clear() }
    do {
      return try body()
    } catch {
      throw naming(error)
    }
  }

  /// Replaces the path in an error: the user knows only the store's own file.
  private func naming(_ error: any Error) -> any Error {
    if var error = error as? StoreError, error.path == path {
      error.path = target
      return error
    }
    if var error = error as? SQLiteError, error.file == path {
      error.file = target
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

  /// Removes all of its files.
  func clear() throws(FileError) {
    for suffix in ["", "-wal", "-shm", "-journal"] { try fileSystem.remove(path + suffix) }
  }

  /// Replaces what is put together, if anything, with another file beside the store.
  func replace(by other: String) throws(FileError) {
    try clear()
    try fileSystem.rename(other, to: path)
  }

  /// Applies settings for a file that no other process has open and that may be lost: nothing is synced
  /// before the end.
  ///
  /// An import that starts over rolls back, so there must be a journal.
  func makeFast(_ connection: Connection) throws {
    try connection.execute(
      "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
  }

  /// Moves the finished file to a place where there is no file.
  private func install() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    // The whole file is synced below.
    try connection.execute("PRAGMA synchronous = OFF")
    // The file records the mode, so that it is an ordinary store from the beginning.
    try connection.execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try CommitSeal(connection).setAlone()
    connection.close()
    try fileSystem.synchronize(path)
    for suffix in ["-wal", "-shm", "-journal"] { try fileSystem.remove(target + suffix) }
    try fileSystem.rename(path, to: target)
    do {
      try fileSystem.synchronizeDirectory(target.parentDirectory)
    } catch {
      // A failed attempt leaves no store. If this file cannot be removed, it is whole, and the error below is
      // the cause.
      try? fileSystem.remove(target)
      throw error
    }
  }
}
