import TributaryCore

extension TableShape {
  /// Returns the bytes of a shape item without its code and its id.
  ///
  /// - Throws: `malformed` or `limitExceeded` for what the format does not allow.
  package func encoded() throws(LogError) -> [UInt8] {
    try check()
    var buffer = ByteBuffer()
    try buffer.append(name: table)
    buffer.append(variable: UInt64(columns.count))
    for column in columns { try buffer.append(name: column) }
    buffer.append(variable: UInt64(keys.count))
    for key in keys {
      buffer.append(variable: UInt64(key.column))
      buffer.append(key.collation.rawValue)
    }
    return Array(buffer.bytes)
  }

  /// Reads what `encoded()` returns.
  ///
  /// - Throws: `truncated`; `malformed`, also if bytes are left over; `limitExceeded`.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    var cursor = ByteCursor(bytes)
    try self.init(from: &cursor)
    guard cursor.remaining == 0 else {
      throw cursor.failure(.malformed, "\(cursor.remaining) bytes follow a shape")
    }
  }

  init(from cursor: inout ByteCursor) throws(LogError) {
    let start = cursor.offset
    let table = try cursor.name()
    // Counts are not trusted: arrays grow only with bytes that are really there.
    var columns: [String] = []
    for _ in 0..<(try cursor.count(upTo: LogFormat.maximumColumnCount, of: "columns")) {
      columns.append(try cursor.name())
    }
    var keys: [Key] = []
    for _ in 0..<(try cursor.count(upTo: columns.count, of: "key columns")) {
      let column = try cursor.variable()
      guard column < columns.count else {
        throw cursor.failure(.malformed, "key column \(column) of \(columns.count) columns")
      }
      let byte = try cursor.byte()
      guard let collation = Collation(rawValue: byte) else {
        throw cursor.failure(.malformed, "unknown collation \(byte)")
      }
      keys.append(Key(column: Int(column), collation: collation))
    }
    self.init(table: table, columns: columns, keys: keys)
    do throws(LogError) { try check() } catch { throw error.moved(by: UInt64(start), in: .input) }
  }

  /// Checks what must be true of every shape in a file.
  private func check() throws(LogError) {
    guard columns.count <= LogFormat.maximumColumnCount else {
      throw LogError(.limitExceeded, "\(columns.count) columns in a shape")
    }
    guard !keys.isEmpty, keys.count <= columns.count else {
      throw LogError(.malformed, "a shape with \(keys.count) key columns of \(columns.count)")
    }
    guard keys.allSatisfy({ columns.indices.contains($0.column) }),
      Set(keys.map(\.column)).count == keys.count
    else { throw LogError(.malformed, "a shape with a key column twice or out of range") }
    let names = Set(columns.map { $0.utf8.map(Self.lowerCased) })
    guard names.count == columns.count else {
      throw LogError(.malformed, "a shape with two columns of one name")
    }
  }

  private static func lowerCased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
