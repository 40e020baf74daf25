internal import TributaryCore
internal import TributaryLog

/// A change in the form for finding concurrent writes: the key, and a hash of each value.
struct RowChange {
  let operation: ChangeOperation
  let key: [Value]
  /// What it writes besides the key, by name; for an insert, also the row itself, without a name.
  private(set) var cells: [(name: String, column: UInt32, digest: UInt32)] = []

  /// Reads a change.
  ///
  /// - Throws: `LogError` for an image that does not fit the shape.
  init(_ change: ChangeView, _ shape: TableShape, ignoring ignored: Set<SQLName>) throws {
    operation = change.operation
    var values = change.values
    guard operation != .delete else {
      key = try shape.keys.map { _ in try values.next().value ?? .null }
      return
    }
    var parts = [Value](repeating: .null, count: shape.keys.count)
    if operation.putsRow { cells.append(("", 0, 0)) }
    for (index, name) in shape.columns.enumerated() {
      let value = try values.next()
      if let place = shape.keys.firstIndex(where: { $0.column == index }) {
        parts[place] = value.value ?? .null
      } else if value.kind != .absent, !ignored.contains(SQLName(name)) {
        cells.append((name, Self.column(name), Self.digest(value)))
      }
    }
    key = parts
  }

  /// Returns a hash of the row's identity, which is equal for keys that are equal under their
  /// collations.
  ///
  /// Two rows share one by a chance of one in 2^64 for each pair.
  func row(table: String, content: Int, _ shape: TableShape) -> Int64 {
    var hasher = Hasher()
    hasher.combine(content)
    Self.combine(table, into: &hasher)
    for (value, key) in zip(key, shape.keys) { Self.combine(value, key.collation, into: &hasher) }
    return Int64(hasher.finalize())
  }

  private static func combine(_ name: String, into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
  }

  private static func combine(
    _ value: Value, _ collation: Collation, into hasher: inout Hasher
  ) {
    switch value {
    // SQLite considers 1 and 1.0 one key.
    case .real(let real):
      if let integer = Int64(exactly: real) {
        hasher.combine(Value.integer(integer))
      } else {
        hasher.combine(value)
      }
    case .text(let bytes):
      switch collation {
      case .binary: hasher.combine(value)
      case .nocase:
        hasher.combine(Value.text(bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }))
      case .rtrim:
        let end = bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0
        hasher.combine(Value.text(Array(bytes[..<end])))
      }
    default: hasher.combine(value)
    }
  }

  /// Returns a hash of a column's name; never zero, which stands for the row itself.
  private static func column(_ name: String) -> UInt32 {
    var hasher = Hasher()
    combine(name, into: &hasher)
    return UInt32(truncatingIfNeeded: hasher.finalize()) | 1
  }

  /// Returns a digest of 30 bits. Values that are equal to the bit, with their types, have equal
  /// digests.
  private static func digest(_ value: ValueView) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(value.kind)
    switch value.kind {
    case .integer: hasher.combine(value.integer)
    case .real: hasher.combine(value.real.bitPattern)
    default: hasher.combine(bytes: value.bytes)
    }
    return UInt32(truncatingIfNeeded: hasher.finalize()) >> 2
  }

  // MARK: Text

  private static let shownByteCount = 120

  /// The key as JSON, with long values cut off.
  var keyText: String {
    var json = JSONWriter()
    json.key(key.map(Self.shortened))
    return json.text
  }

  private static func shortened(_ value: Value) -> Value {
    switch value {
    case .text(let bytes) where bytes.count > shownByteCount:
      .text(Array(String(decoding: bytes.prefix(shownByteCount), as: UTF8.self).utf8) + "…".utf8)
    case .blob(let bytes): .blob(Array(bytes.prefix(shownByteCount)))
    default: value
    }
  }
}
