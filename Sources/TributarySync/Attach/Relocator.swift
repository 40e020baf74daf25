import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Moves a store's file to another path. It stays the same store there.
struct Relocator {
  let path: String
  let newPath: String
  let environment: StoreEnvironment

  private var files: any FileSystem { environment.localFiles }

  func relocate() throws {
    try checkFree()
    guard try files.status(path) != nil else {
      throw StoreError(
        .notAttached, "there is no such database", path: path, remedy: "check the path")
    }
    try copyLog()
    let lock = try StoreLock(newPath, for: .attaching)
    defer { lock.release() }
    let database = try ExclusiveDatabase(path: path)
    defer { database.release() }
    let connection = database.connection
    let old = connection.filePath
    let identity = try StoreIdentity(reading: connection)
    try Placement.checkNotInside(
      storePath: newPath, container: identity.container, using: environment.fileSystem)
    // The log is beside the file itself; the path may be a link to it.
    guard try (files.status(old + "-wal")?.size ?? 0) == 0 else {
      throw SyncError(
        .inUse, "another process has just used it", path: path,
        remedy: "stop that program, then move the store again")
    }
    try checkFree()
    do throws(FileError) {
      try files.rename(old, to: newPath)
    } catch {
      throw StoreError(
        .path, "the store cannot be moved to \(newPath): \(error)", path: path,
        remedy:
          "choose a directory that exists, on the same device; to another device, use `backup(to:)`, "
          + "which makes another store")
    }
    do {
      // Both directories are synced: after a power cut, the file must be in one of them.
      try files.synchronizeDirectory(newPath.parentDirectory)
      try files.synchronizeDirectory(old.parentDirectory)
    } catch {
      // If that fails too, there is nothing left to try. The file is whole at the new path.
      try? files.rename(newPath, to: old)
      throw error
    }
    // SQLite leaves behind the empty log of a file that has moved. It does no harm.
    try? files.remove(old + "-wal")
    moveWitness(connection, from: old, identity.peer)
  }

  private func checkFree() throws {
    for path in ["", "-wal", "-journal"].map({ newPath + $0 }) where try files.status(path) != nil {
      throw StoreError(
        .path, "there is a file already", path: path,
        remedy: "choose another path, or remove the file first")
    }
  }

  /// Copies the write-ahead log into the file, sealing it as far as possible.
  private func copyLog() throws {
    let store = try environment.openStore(at: path)
    store.close()
  }

  /// Moves what was recorded at the old place to the new one. At the old place, a later store must not be
  /// taken for this one.
  private func moveWitness(
    _ connection: Connection, from old: String, _ peer: PeerIdentity
  ) {
    let former = old + StoreWitness.suffix
    // Without the witness, nothing is recognised until the next publication. There is no other harm.
    if (try? files.status(former)) != nil {
      try? files.rename(former, to: newPath + StoreWitness.suffix)
    }
    let others = (try? FormerIdentities(connection).all().map(\.peer)) ?? []
    for peer in [peer] + others {
      environment.witness.dismiss(old, of: peer)
    }
  }
}
