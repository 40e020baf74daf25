import Synchronization
internal import TributaryCore
internal import TributarySQLite

/// The values of a store that has never seen its container, in an ordinary database beside the path of the
/// store. Several processes may use it.
final class PrivateStorage: KeyValueStorage {
  /// Another process has moved the values into the store.
  struct Moved: Error {}

  /// Its connection is used only under the lock of `state`.
  private struct State: @unchecked Sendable {
    let connection: Connection
    var version: UInt32?
  }

  let path: String
  private let milliseconds: @Sendable () -> UInt64
  private let state: Mutex<State>

  /// Opens the database, making it first if necessary.
  init(
    path: String, profile: KeyValueProfile, milliseconds: @escaping @Sendable () -> UInt64
  ) throws {
    self.path = path
    self.milliseconds = milliseconds
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    try connection.immediate {
      guard try connection.integer(Self.presence) == nil else { return }
      try connection.execute(KeyValueSchema.migration(profile).sql)
    }
    state = Mutex(State(connection: connection))
  }

  func readIfChanged() throws -> [KeyValueKey: StoredValue]? {
    try state.withLock { state in
      let connection = state.connection
      guard try connection.integer(Self.presence) != nil else { throw Moved() }
      return try connection.keyValues(after: &state.version)
    }
  }

  private static let presence = "SELECT 1 FROM sqlite_schema WHERE name = 'key_value'"

  func write(_ changes: [KeyValueKey: StoredValue?]) throws {
    let now = Int64(clamping: milliseconds())
    try state.withLock { state in
      let connection = state.connection
      try connection.immediate {
        guard try connection.integer(Self.presence) != nil else { throw Moved() }
        for (key, value) in changes {
          if let value {
            try connection.cached(KeyValueSchema.insertion).run(
              .string(key.text), .string(value.type), value.value, .integer(now))
          } else {
            try connection.cached(KeyValueSchema.deletion).run(.string(key.text))
          }
        }
      }
    }
  }

  /// Calls `body` with the values, after which they are gone. No process can set any meanwhile.
  func moveOut(_ body: ([KeyValueKey: StoredValue]) throws -> Void) throws {
    try state.withLock { state in
      let connection = state.connection
      try connection.immediate {
        guard try connection.integer(Self.presence) != nil else { return }
        var values: [KeyValueKey: StoredValue] = [:]
        let statement = try connection.prepare(KeyValueSchema.selection)
        while try statement.step() {
          values[KeyValueKey(statement.string(0))] = StoredValue(
            type: statement.string(1), value: statement.value(2))
        }
        statement.reset()
        try body(values)
        try connection.execute(KeyValueSchema.removal)
      }
    }
  }

  func close() { state.withLock { $0.connection.close() } }
}
