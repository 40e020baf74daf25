import Glibc
import TributarySQLite

extension LocalStore {
  /// Copies the database, as it is at this moment, into a new file.
  ///
  /// - Throws: `StoreError` with the code `path` if the file exists; `SQLiteError`. In either case, the call
  ///   leaves no file behind.
  package func backup(to target: String) throws {
    try StorePath.check(target)
    guard access(target, F_OK) != 0 else {
      throw StoreError(
        .path, "there is a file already", path: target,
        remedy: "choose another path, or remove the file first")
    }
    try background { connection in
      do {
        try connection.copy(to: target)
      } catch {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(target + suffix) }
        throw error
      }
    }
  }
}
