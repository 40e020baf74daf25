import TributaryCore
import TributarySQLite

extension LocalStore {
  /// Runs `body`. If it fails because another process has detached the store, the error says so.
  func whileAttached<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    do {
      return try body(connection)
    } catch let error as SQLiteError where error.isOfStatement {
      guard try !Settings.exist(in: connection) else { throw error }
      throw StoreError(
        .notAttached, "the database is not attached to a container any more", path: path,
        remedy: "run `tributary attach` if it is to be shared again")
    }
  }
}
