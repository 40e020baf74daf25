import TributaryStore

extension SyncSession {
  /// Whether this session has made an import. Waits for one that is being committed.
  package func hasMade(import entry: Int64) -> Bool { follower.hasMade(entry) }

  /// Returns an import of another process.
  package func journalled(import entry: Int64) throws -> SyncReport.Imported {
    var imported = try store.service { try ImportJournal($0).imported(entry) }
    imported.isByAnotherProcess = true
    return imported
  }

  /// Returns the numbers of the imports after a given one.
  package func imports(after entry: Int64) throws -> [Int64] {
    try store.service { try ImportJournal($0).entries(after: entry) }
  }
}
