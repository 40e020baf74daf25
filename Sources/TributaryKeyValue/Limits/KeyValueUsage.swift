/// How much a key-value store holds, in the units of its limits.
public struct KeyValueUsage: Hashable, Sendable {
  /// The number of keys that have a value.
  public var keyCount = 0
  /// The total size of all keys, in bytes.
  public var keyBytes = 0
  /// The total size of all values, in bytes.
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

  /// Whether it exceeds the limits of a profile. Only simultaneous sets on several devices can cause this.
  public func exceeds(_ profile: KeyValueProfile) -> Bool {
    valueBytes > profile.totalByteLimit || keyBytes > profile.keysByteLimit
      || profile.keyCountLimit.map { keyCount > $0 } ?? false
  }
}
