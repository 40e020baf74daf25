import TributaryLog

/// The beginning of a key as a number, in roughly the order in which SQLite stores rows.
enum KeyPrefix {
  /// Returns the beginning of a key.
  ///
  /// - Parameter key: bytes of `RowKeyEncoder`.
  static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
    var cursor = ImageCursor(key)
    // A key that cannot be read was never added to the index.
    guard let view = try? cursor.next() else { return 0 }
    switch view.kind {
    case .integer: return UInt64(bitPattern: view.integer) ^ 1 << 63
    case .text, .blob:
      var prefix: UInt64 = 0
      for position in 0..<8 {
        prefix = prefix << 8 | (position < view.bytes.count ? UInt64(view.bytes[position]) : 0)
      }
      return prefix
    default: return 0
    }
  }
}
