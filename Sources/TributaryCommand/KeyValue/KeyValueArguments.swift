import TributaryCore
import TributaryKeyValue
import TributarySync

/// The common part of the `kv` commands.
enum KeyValueArguments {
  static let key = Operand("KEY", .text)

  /// Opens the store for one command, after checking it against the entitlements. Each set is on the disk
  /// when the engine is closed.
  static func open(_ store: String, _ entitlements: String?) throws -> KeyValueEngine {
    let engine = try KeyValueEngine(
      attached: KeyValuePlace(path: store, container: "", identifier: ""))
    if let granted = try ContainerArguments.granted(entitlements), let store = engine.store {
      try granted.checkKeyValueStore(store.identity().contentName)
    }
    return engine
  }

  /// Makes an error about a database that is not a store name `kv attach`, if that command attaches it.
  static func namingRemedy(of error: any Error) -> any Error {
    guard var error = error as? any DetailedError, error.code == .notAttached,
      error.details.remedy.contains("tributary attach"), let path = error.details.path,
      KeyValuePlace.wasKeyValueStore(path)
    else { return error }
    error.details.remedy = KeyValuePlace.attachRemedy
    return error
  }

  /// Does the same for a finding.
  static func namingRemedy(of finding: Finding) -> Finding {
    guard finding.code == .notAttached, let path = finding.path,
      KeyValuePlace.wasKeyValueStore(path)
    else { return finding }
    var finding = finding
    finding.remedy = KeyValuePlace.attachRemedy
    return finding
  }

  /// Returns a value, or throws if another program has written something that is not one.
  static func readable(
    _ value: StoredValue, of key: String, in store: String
  ) throws -> PropertyListValue {
    if let value = value.propertyListValue { return value }
    throw KeyValueError(
      .unreadableValue,
      "what is stored under '\(key)' is not a property list: its type is '\(value.type)'",
      path: store,
      remedy: "set the key anew; `tributary sql` shows what is there")
  }
}
