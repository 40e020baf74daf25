internal import TributaryContainer
internal import TributaryFiles
internal import TributarySync

extension Documents {
  /// Rebuilds the store of a document from the logs, after the store was damaged so badly that it does not
  /// say what it was.
  ///
  /// - Parameters:
  ///   - store: the path of the store.
  ///   - error: why it cannot be read.
  /// - Returns: the path at which the damaged file is kept; `nil`, with nothing changed, if the error is a
  ///   different one or the store belongs to no document.
  /// - Throws: what `open` throws. The damaged file is then back in its place.
  package func remake(_ store: String, after error: any Error) throws -> String? {
    guard Self.isDamage(error),
      let document = try local.all().first(where: { $0.store == store })
    else { return nil }
    let record = document.record
    let kept = try freeName(beside: store)
    try local.locked(record.contentName) {
      // Without logs, the damaged file is all there is.
      let peers = logs(record.contentRoot, record.contentName, in: record.container)
        .appending(component: "peers")
      guard try hasLogs(peers) else {
        throw DocumentError(
          .unavailable, "the document's logs are not there, from which its store could be made",
          path: peers, remedy: "wait for the carrier, or mount the container, then try again")
      }
      try rename(store, to: kept)
    }
    do {
      _ = try open(record.package)
    } catch {
      try rename(kept, to: store)
      throw error
    }
    return kept
  }

  private func freeName(beside store: String) throws(FileError) -> String {
    let name = store + LocalDocument.aside
    var free = name
    var number = 1
    while try local.files.status(free) != nil {
      number += 1
      free = "\(name).\(number)"
    }
    return free
  }

  /// Renames a store and the files that SQLite keeps beside it.
  private func rename(_ store: String, to other: String) throws(FileError) {
    for ending in ["-wal", "-shm"] {
      // Files that belong to another database must not be mistaken for this one's.
      if try local.files.status(other + ending) != nil { try local.files.remove(other + ending) }
      guard try local.files.status(store + ending) != nil else { continue }
      try local.files.rename(store + ending, to: other + ending)
    }
    if try local.files.status(other) != nil { try local.files.remove(other) }
    try local.files.rename(store, to: other)
    try local.files.synchronizeDirectory(store.parentDirectory)
  }
}
