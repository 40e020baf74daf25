internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite

/// Where a key-value store keeps its values on this device.
protocol KeyValueStorage: Sendable {
  var path: String { get }

  /// Returns what is stored; `nil` if that is as it was the last time.
  func readIfChanged() throws -> [KeyValueKey: StoredValue]?

  /// Writes changes in one transaction; a value that is `nil` is removed.
  func write(_ changes: [KeyValueKey: StoredValue?]) throws

  /// Has what was written survive a power cut.
  func synchronize() throws

  func close()
}

extension KeyValueStorage {
  /// A WAL carries no locks: closing it here drops none of SQLite's. One that is gone was written into the database,
  /// durably.
  func synchronize() throws {
    do {
      try LocalFileSystem().synchronize(path + "-wal")
    } catch let error where error.isMissing {}
  }
}

extension Connection {
  /// Reads all values in a snapshot, unless the file is as it was.
  ///
  /// - Parameter version: the version of the file that was read last; updated.
  func keyValues(after version: inout UInt32?) throws -> [KeyValueKey: StoredValue]? {
    try snapshot {
      // Only a transaction that has read knows the present version.
      _ = try integer("SELECT 1 FROM sqlite_schema LIMIT 1")
      let present = dataVersion
      if present == version { return nil }
      var values: [KeyValueKey: StoredValue] = [:]
      let statement = try cached(KeyValueSchema.selection)
      defer { statement.reset() }
      while try statement.step() {
        values[KeyValueKey(statement.string(0))] = StoredValue(
          type: statement.string(1), value: statement.value(2))
      }
      version = present
      return values
    }
  }
}
