import TributaryKeyValue
import TributarySync

/// What the commands of `kv` have in common.
enum KeyValueArguments {
  static let key = Operand("KEY", .text)

  /// Opens the store for one command, after checking it against the entitlements: each set is on the disk when the
  /// engine is closed.
  static func open(_ store: String, _ entitlements: String?) throws -> KeyValueEngine {
    let engine = try KeyValueEngine(
      attached: KeyValuePlace(path: store, container: "", identifier: ""))
    if let granted = try ContainerArguments.granted(entitlements), let store = engine.store {
      try granted.checkKeyValueStore(store.identity().contentName)
    }
    return engine
  }

  /// Returns a value, or throws if another program has written what is none.
  static func readable(
    _ value: StoredValue, of key: String, in store: String
  ) throws -> PropertyListValue {
    if let value = value.propertyListValue { return value }
    throw KeyValueError(
      .unreadableValue,
      "what is stored under '\(key)' is no property list: its type is '\(value.type)'", path: store,
      remedy: "set the key anew; `tributary sql` shows what is there")
  }
}
