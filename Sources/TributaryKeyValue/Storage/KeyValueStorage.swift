internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite

/// Where a key-value store keeps its values on this device.
protocol KeyValueStorage: Sendable {
  var path: String { get }

  /// Returns the stored values; `nil` if they are unchanged since the last time.
  func readIfChanged() throws -> [KeyValueKey: StoredValue]?

  /// Writes changes in one transaction; a value of `nil` means removal.
  func write(_ changes: [KeyValueKey: StoredValue?]) throws

  /// Makes what was written survive a power cut.
  func synchronize() throws

  func close()
}

extension KeyValueStorage {
  /// Makes what was written survive a power cut. There are no locks on a WAL, so closing it here drops none
  /// of SQLite's locks. A WAL that is gone was written into the database, durably.
  func synchronize() throws {
    do {
      try LocalFileSystem().synchronize(path + "-wal")
    } catch let error where error.isMissing {}
  }
}

extension Connection {
  /// Reads all values in a snapshot, unless the file is unchanged.
  ///
  /// - Parameter version: the version of the file that was read last; updated.
  func keyValues(after version: inout UInt32?) throws -> [KeyValueKey: StoredValue]? {
    try snapshot {
      // A transaction knows the current version only after it has read.
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
