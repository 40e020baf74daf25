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
  init(_ change: ChangeView, _ shape: TableShape, ignoring ignored: [SQLName: String]) throws {
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
      } else if value.kind != .absent, ignored[SQLName(name)] == nil {
        cells.append((name, Self.column(name), Self.digest(value)))
      }
    }
    key = parts
  }

  /// Returns a hash of the row's identity, which is equal for keys that are equal under their
  /// collations.
  ///
  /// For each pair of rows, the chance that they share a hash is one in 2^64.
  func row(table: String, content: Int, _ shape: TableShape) -> Int64 {
    var hasher = Hasher()
    hasher.combine(content)
    hasher.combine(SQLName(table))
    for (value, key) in zip(key, shape.keys) {
      hasher.combine(value.canonical(under: key.collation))
    }
    return Int64(hasher.finalize())
  }

  /// Returns a hash of a column's name; never zero, which stands for the row itself.
  private static func column(_ name: String) -> UInt32 {
    UInt32(truncatingIfNeeded: SQLName(name).hashValue) | 1
  }

  /// Returns a digest of 30 bits. Values with equal types and bits have equal digests.
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
