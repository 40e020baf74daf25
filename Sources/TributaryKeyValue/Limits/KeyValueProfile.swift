/// The limits of a key-value store. The device that makes the store chooses them, and all others follow.
public enum KeyValueProfile: String, Hashable, Sendable, CaseIterable {
  /// 64 KB in all, and for each value.
  case classic
  /// 64 KB in all, 4 KB for each value.
  case compact
  /// 1 MB in all, and for each value; 1,024 keys of 64 bytes.
  case standard

  /// The largest total size of all values, in bytes.
  public var totalByteLimit: Int { self == .standard ? 1 << 20 : 64 << 10 }

  /// The largest size of one value, in bytes.
  public var valueByteLimit: Int {
    switch self {
    case .classic: 64 << 10
    case .compact: 4 << 10
    case .standard: 1 << 20
    }
  }

  /// The number of keys; `nil` if only `keysByteLimit` bounds it.
  public var keyCountLimit: Int? { self == .standard ? 1024 : nil }

  /// The largest size of one key, in bytes of UTF-8; `nil` if only `keysByteLimit` bounds it.
  public var keyByteLimit: Int? { self == .standard ? 64 : nil }

  /// The largest total size of all keys, in bytes of UTF-8. It is separate from the limit for values.
  public var keysByteLimit: Int { 64 << 10 }
}
