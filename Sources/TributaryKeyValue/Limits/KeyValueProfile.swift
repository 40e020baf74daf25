/// The limits of a key-value store. The device that makes it chooses, and all others follow.
public enum KeyValueProfile: String, Hashable, Sendable, CaseIterable {
  /// 64 KB in all, and for each value.
  case classic
  /// 64 KB in all, 4 KB for each value.
  case compact
  /// 1 MB in all, and for each value; 1,024 keys of 64 bytes.
  case standard

  /// The bytes that all values together may have.
  public var totalByteLimit: Int { self == .standard ? 1 << 20 : 64 << 10 }

  /// The bytes that one value may have.
  public var valueByteLimit: Int {
    switch self {
    case .classic: 64 << 10
    case .compact: 4 << 10
    case .standard: 1 << 20
    }
  }

  /// The number of keys; `nil` if only `keysByteLimit` bounds it.
  public var keyCountLimit: Int? { self == .standard ? 1024 : nil }

  /// The bytes of UTF-8 that one key may have; `nil` if only `keysByteLimit` bounds it.
  public var keyByteLimit: Int? { self == .standard ? 64 : nil }

  /// The bytes of UTF-8 that all keys together may have. They do not count among those of the values.
  public var keysByteLimit: Int { 64 << 10 }
}
