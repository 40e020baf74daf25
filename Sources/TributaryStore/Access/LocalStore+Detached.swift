import TributaryCore
import TributarySQLite

extension LocalStore {
  /// Runs `body`, which may open connections. If it fails because another process has detached the store, the
  /// error says so.
  ///
  /// No process can detach a store while a connection that has read it is open, but a connection that is
  /// opened later finds an ordinary database.
  static func whileAttached<Result>(
    _ path: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.isOfStatement {
      // If opening it fails here too, that error is dropped: the first one says more.
      guard (try? isAttached(at: path)) == false else { throw error }
      throw StoreError(
        .notAttached, "the database is not attached to a container any more", path: path,
        remedy: "run `tributary attach` if it is to be shared again")
    }
  }
}
