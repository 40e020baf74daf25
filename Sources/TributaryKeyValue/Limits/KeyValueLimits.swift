/// Decides which sets a store accepts.
struct KeyValueLimits {
  let profile: KeyValueProfile
  /// The database file.
  let path: String

  /// Checks the limits that concern only the key and the value.
  func check(_ key: String, _ value: StoredValue) throws(KeyValueError) {
    if key.isEmpty {
      throw KeyValueError(
        .emptyKey, "the key is empty", path: path, remedy: "give the value a name")
    }
    if let limit = profile.keyByteLimit, key.utf8.count > limit {
      throw KeyValueError(
        .keyTooLong,
        "the key \(shown(key)) has \(key.utf8.count) bytes, and a key may have \(limit) in the profile \(profile.rawValue)",
        path: path, remedy: "use a shorter key")
    }
    if value.byteCount > profile.valueByteLimit {
      throw KeyValueError(
        .valueTooLarge,
        "the value for \(shown(key)) has \(value.byteCount) bytes, and a value may have \(profile.valueByteLimit) in the profile \(profile.rawValue)",
        path: path,
        remedy: "store less under the key, or keep the value in a file or a store of its own")
    }
  }

  /// Checks that a set leaves the store within its limits. If the store already exceeds them, because devices
  /// have set values at the same time, a set that takes no more space than before is accepted.
  func check(
    _ key: String, replacing old: StoredValue?, by value: StoredValue, in usage: KeyValueUsage
  ) throws(KeyValueError) {
    let growth = value.byteCount - (old?.byteCount ?? 0)
    if growth > 0, usage.valueBytes + growth > profile.totalByteLimit {
      throw KeyValueError(
        .storeFull,
        "with the value for \(shown(key)), all values would have \(usage.valueBytes + growth) bytes, and may have \(profile.totalByteLimit) in the profile \(profile.rawValue)",
        path: path, remedy: "remove other keys first, or store less under this one")
    }
    guard old == nil else { return }
    if let limit = profile.keyCountLimit, usage.keyCount >= limit {
      throw KeyValueError(
        .tooManyKeys,
        "with \(shown(key)), there would be \(usage.keyCount + 1) keys, and there may be \(limit) in the profile \(profile.rawValue)",
        path: path,
        remedy: "remove other keys first, or put several values into a dictionary under one key")
    }
    if usage.keyBytes + key.utf8.count > profile.keysByteLimit {
      throw KeyValueError(
        .keysTooLong,
        "with \(shown(key)), all keys would have \(usage.keyBytes + key.utf8.count) bytes, and may have \(profile.keysByteLimit) in the profile \(profile.rawValue)",
        path: path, remedy: "remove other keys first, or use a shorter one")
    }
  }

  private func shown(_ key: String) -> String {
    let short = key.prefix(64)
    return "'\(short)\(short.endIndex < key.endIndex ? "…" : "")'"
  }
}
