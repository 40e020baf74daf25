import TributaryFiles
import TributarySQLite

extension SyncError {
  /// Creates the error for a database that another program has locked, and names that program as far as the
  /// system reports it; `nil` for any other error.
  package init?(locked error: any Error) {
    guard let error = error as? SQLiteError, error.isBusy else { return nil }
    let files = LocalFileSystem()
    // The bytes that SQLite locks: all readers share the first; writers lock the second, or the third in the
    // index of a write-ahead log. Source: https://www.sqlite.org/fileformat2.html#the_lock_byte_page
    let shared: UInt64 = 0x4000_0002
    let reserved: UInt64 = 0x4000_0001
    let writing: UInt64 = 120
    if let holder = LockHolder.find(path: error.file, byte: shared, files) {
      self.init(
        .inUse, "\(Self.name(holder)) has locked the database exclusively", path: error.file,
        remedy: "close that program, then try again")
    } else if let holder = LockHolder.find(path: error.file, byte: reserved, files)
      ?? LockHolder.find(path: error.file + "-shm", byte: writing, files)
    {
      self.init(
        .inUse, "\(Self.name(holder)) is writing to the database, and has been for some seconds",
        path: error.file, remedy: "try again when it is done, or close that program")
    } else {
      self.init(
        .inUse, "another program has locked the database, or was writing to it for some seconds",
        path: error.file, remedy: "close that program, or try again later")
    }
  }

  private static func name(_ holder: LockHolder) -> String {
    let name = holder.name.isEmpty ? "a program" : holder.name
    return "\(name) (process \(holder.process))"
  }
}
