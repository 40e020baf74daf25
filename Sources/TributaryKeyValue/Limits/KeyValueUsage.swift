/// What a key-value store holds, in the measures of its limits.
public struct KeyValueUsage: Hashable, Sendable {
  /// The number of keys that have a value.
  public var keyCount = 0
  /// The bytes of all keys.
  public var keyBytes = 0
  /// The bytes of all values.
  public var valueBytes = 0

  mutating func add(key: String, valueBytes: Int) {
    keyCount += 1
    keyBytes += key.utf8.count
    self.valueBytes += valueBytes
  }

  mutating func remove(key: String, valueBytes: Int) {
    keyCount -= 1
    keyBytes -= key.utf8.count
    self.valueBytes -= valueBytes
  }

  /// Whether it exceeds the limits of a profile, which only sets on several devices at once can bring about.
  public func exceeds(_ profile: KeyValueProfile) -> Bool {
    valueBytes > profile.totalByteLimit || keyBytes > profile.keysByteLimit
      || profile.keyCountLimit.map { keyCount > $0 } ?? false
  }
}
