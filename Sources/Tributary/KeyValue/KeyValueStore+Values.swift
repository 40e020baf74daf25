public import Foundation
import TributaryKeyValue

extension KeyValueStore {
  // MARK: Reading

  // If the disk cannot be read, these return what the process last knew.

  /// Returns a value as a string, number, bool, date, data, array or dictionary; `nil` if there is none.
  public func object(forKey key: String) -> Any? { value(forKey: key)?.object }

  /// Returns a value as a property list; `nil` if there is none.
  public func value(forKey key: String) -> PropertyListValue? {
    // If the store cannot be read now, returns the value that was last read, as `NSUbiquitousKeyValueStore`
    // does, whose accessors do not throw.
    ((try? engine.value(for: key)) ?? engine.knownValue(for: key))?.propertyListValue
  }

  /// Returns a string; `nil` if there is none under the key.
  public func string(forKey key: String) -> String? {
    if case .string(let string)? = value(forKey: key) { string } else { nil }
  }

  /// Returns an array; `nil` if there is none under the key.
  public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }

  /// Returns a dictionary; `nil` if there is none under the key.
  public func dictionary(forKey key: String) -> [String: Any]? {
    object(forKey: key) as? [String: Any]
  }

  /// Returns data; `nil` if there is none under the key.
  public func data(forKey key: String) -> Data? {
    if case .data(let data)? = value(forKey: key) { Data(data) } else { nil }
  }

  /// Returns a date; `nil` if there is none under the key.
  public func date(forKey key: String) -> Date? { object(forKey: key) as? Date }

  /// Returns an integer, or a number or bool as one; 0 if there is none under the key.
  public func longLong(forKey key: String) -> Int64 {
    switch value(forKey: key) {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real.rounded(.towardZero)) ?? (real > 0 ? .max : .min)
    case .bool(let bool): bool ? 1 : 0
    default: 0
    }
  }

  /// Returns a number, or a bool as one; 0 if there is none under the key.
  public func double(forKey key: String) -> Double {
    switch value(forKey: key) {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .bool(let bool): bool ? 1 : 0
    default: 0
    }
  }

  /// Returns a bool, or whether a number is not 0; `false` if there is none under the key.
  public func bool(forKey key: String) -> Bool { double(forKey: key) != 0 }

  /// All keys with their values. Swift dictionaries consider keys equal that are Unicode spellings of the
  /// same text; of these, only the last in byte order is included. `value(forKey:)` returns each of them.
  public var dictionaryRepresentation: [String: Any] {
    // This accessor does not throw either. If no value could be read, it is empty.
    let values = (try? engine.values()) ?? []
    return Dictionary(
      values.compactMap { key, value in value.propertyListValue.map { (key, $0.object) } },
      uniquingKeysWith: { $1 })
  }

  // MARK: Setting

  /// Sets a string; `nil` removes the value.
  ///
  /// - Throws: `KeyValueError` if the limits forbid it; also throws if writing to the disk fails. Nothing has
  ///   changed then. The same holds for all methods that set or remove values.
  public func set(_ string: String?, forKey key: String) throws {
    try set(string.map { .string($0) }, forKey: key)
  }

  /// Sets data; `nil` removes the value.
  public func set(_ data: Data?, forKey key: String) throws {
    try set(data.map { .data([UInt8]($0)) }, forKey: key)
  }

  /// Sets an array; `nil` removes the value.
  public func set(_ array: [Any]?, forKey key: String) throws {
    try set(object: array, forKey: key)
  }

  /// Sets a dictionary; `nil` removes the value.
  public func set(_ dictionary: [String: Any]?, forKey key: String) throws {
    try set(object: dictionary, forKey: key)
  }

  /// Sets an integer.
  public func set(_ integer: Int64, forKey key: String) throws {
    try set(.integer(integer), forKey: key)
  }

  /// Sets a number.
  public func set(_ number: Double, forKey key: String) throws {
    try set(.real(number), forKey: key)
  }

  /// Sets a bool.
  public func set(_ bool: Bool, forKey key: String) throws { try set(.bool(bool), forKey: key) }

  /// Sets a value that a property list can contain; `nil` removes the value.
  public func set(_ object: Any?, forKey key: String) throws {
    try set(object: object, forKey: key)
  }

  /// Sets a value; `nil` removes it.
  public func set(_ value: PropertyListValue?, forKey key: String) throws {
    if let value { try engine.set(value, for: key) } else { try engine.remove(key) }
  }

  /// Removes a value; does nothing if there is none.
  public func removeObject(forKey key: String) throws { try engine.remove(key) }

  private func set(object: Any?, forKey key: String) throws {
    guard let object else { return try removeObject(forKey: key) }
    guard let value = PropertyListValue(object: object) else {
      throw KeyValueError(
        .unsupportedValue,
        "the value for '\(key)' is or has a \(type(of: object)), which no property list has",
        path: path,
        remedy: "store strings, numbers, bools, dates, data, and arrays and dictionaries of them")
    }
    try set(value, forKey: key)
  }
}
