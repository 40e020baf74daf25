import Glibc
import Synchronization
import TributaryCore
import TributaryFiles
import TributarySQLite

/// An attached database that is only read. Nothing is written into the file or beside it.
package final class LocalReader: Sendable {
  package let path: String
  private let readers = Mutex<Readers>(Readers())

  /// Opens an attached database.
  ///
  /// - Throws: `StoreError` with the code `notAttached`; `SQLiteError` for a file that cannot be opened.
  package init(path: String) throws {
    try StorePath.check(path)
    self.path = path
    try StorePath.checkPresent(path)
    let reader = try Readers.open(path, leavingLog: true)
    guard try Settings.exist(in: reader.connection) else {
      throw StoreError(
        .notAttached, "the database is not attached to a container", path: path,
        remedy: "run `tributary attach`")
    }
    try StoreExtensions(reader.connection, birth: FileBirth.nanoseconds).use(at: path)
    if !readers.withLock({ $0.give(reader) }) { reader.connection.close() }
  }

  package func identity() throws -> StoreIdentity {
    try read { try Settings($0.connection).identity() }
  }

  /// Runs `body` on a snapshot of the database.
  package func read<Result>(
    heeding cancellation: Cancellation? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    let (isEnded, idle) = readers.withLock { ($0.isEnded, $0.take()) }
    if isEnded {
      throw StoreError(.closed, "the store was closed", path: path, remedy: "open it again")
    }
    let reader = try idle ?? Readers.open(path, leavingLog: true)
    defer { if !readers.withLock({ $0.give(reader) }) { reader.connection.close() } }
    return try reader.connection.lend(heeding: cancellation, body)
  }

  /// Closes it: later reads throw `StoreError` with the code `closed`. Running reads go on to their end.
  package func close() {
    for reader in readers.withLock({ $0.end() }) { reader.connection.close() }
  }

  deinit { close() }
}
