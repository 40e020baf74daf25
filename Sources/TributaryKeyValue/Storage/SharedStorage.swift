import Synchronization
internal import TributaryCore
internal import TributarySQLite
internal import TributaryStore

/// The values in a store that is attached to a container.
final class SharedStorage: KeyValueStorage {
  private struct Reader {
    var connection: Connection?
    var version: UInt32?
  }

  let store: LocalStore
  private let milliseconds: @Sendable () -> UInt64
  private let reader = Mutex(Reader())

  init(_ store: LocalStore, milliseconds: @escaping @Sendable () -> UInt64) {
    self.store = store
    self.milliseconds = milliseconds
  }

  var path: String { store.path }

  func readIfChanged() throws -> [KeyValueKey: StoredValue]? {
    try store.checkOpen()
    return try reader.withLock { reader in
      let connection = try reader.connection ?? Connection(path: path, mode: .readWrite)
      reader.connection = connection
      return try connection.keyValues(after: &reader.version)
    }
  }

  /// Returns all values. The next `readIfChanged` still returns them.
  func values() throws -> [KeyValueKey: StoredValue] {
    defer { reader.withLock { $0.version = nil } }
    reader.withLock { $0.version = nil }
    return try readIfChanged() ?? [:]
  }

  func write(_ changes: [KeyValueKey: StoredValue?]) throws {
    let now = Int64(clamping: milliseconds())
    try store.write { database in
      for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
        if let value {
          let statement = try database.prepare(KeyValueSchema.insertion)
          try statement.run(
            Value.string(key.text), Value.string(value.type), value.value, Value.integer(now))
        } else {
          try database.execute(KeyValueSchema.deletion, Value.string(key.text))
        }
      }
    }
  }

  func close() {
    store.close()
    reader.withLock { reader in
      reader.connection?.close()
      reader = Reader()
    }
  }
}
