import TributaryKeyValue
import TributarySync

/// What the commands of `kv` have in common.
enum KeyValueArguments {
  static let key = Operand("KEY", .text)

  /// Opens the store for one command: each set is on the disk when it returns.
  static func open(_ store: String) throws -> KeyValueEngine {
    try KeyValueEngine(attached: KeyValuePlace(path: store, container: "", identifier: ""))
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
