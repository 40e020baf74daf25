/// The contents of a key-value store.
struct KeyValueContents {
  private(set) var values: [KeyValueKey: StoredValue] = [:]
  private(set) var usage = KeyValueUsage()

  subscript(key: KeyValueKey) -> StoredValue? { values[key] }

  /// Sets a value, or removes it.
  mutating func set(_ value: StoredValue?, for key: KeyValueKey) {
    if let old = values[key] { usage.remove(key: key.text, valueBytes: old.byteCount) }
    values[key] = value
    if let value { usage.add(key: key.text, valueBytes: value.byteCount) }
  }
}
