import TributaryCore

/// Encodes a value as the columns of a row.
final class RowEncoder: Encoder {
  private(set) var columns: [String] = []
  private(set) var values: [Value] = []
  private let type: Any.Type

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ row: some Encodable) throws {
    type = Swift.type(of: row)
    try row.encode(to: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedColumns<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusedEncoding(error: .unsupported(nil, type))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusedEncoding(error: .unsupported(nil, type))
  }

  fileprivate func set(_ value: Value, for column: String) {
    // A class and its parent class may have properties with the same name.
    if let index = columns.firstIndex(of: column) {
      values[index] = value
    } else {
      columns.append(column)
      values.append(value)
    }
  }

  fileprivate func set<Number: FixedWidthInteger>(integer: Number, for column: String) throws {
    set(try Self.value(integer, column), for: column)
  }

  static func value<Number: FixedWidthInteger>(_ integer: Number, _ column: String) throws -> Value
  {
    guard let number = Int64(exactly: integer) else {
      throw RowCodingError(
        .wrongType, "\(integer) is larger than any integer that SQLite stores", column: column,
        type: Number.self, remedy: "store it as text or as a blob")
    }
    return .integer(number)
  }

  /// Returns the form in which a column stores a value.
  static func value(of value: some Encodable, for column: String) throws -> Value {
    if let convertible = value as? any ValueConvertible { return convertible.value }
    let type = Swift.type(of: value)
    if RowCoding.needsFoundation(type) { throw RowCodingError.unsupported(column, type) }
    let encoder = ColumnEncoder(column: column, type: type)
    try value.encode(to: encoder)
    guard let value = encoder.value else { throw RowCodingError.unsupported(column, type) }
    return value
  }
}

/// The properties of a type, written as the columns of a row.
private struct KeyedColumns<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.set(.null, for: key.stringValue) }
  func encode(_ value: Bool, forKey key: Key) { encoder.set(value.value, for: key.stringValue) }
  func encode(_ value: String, forKey key: Key) { encoder.set(value.value, for: key.stringValue) }
  func encode(_ value: Double, forKey key: Key) { encoder.set(value.value, for: key.stringValue) }
  func encode(_ value: Float, forKey key: Key) {
    encoder.set(Double(value).value, for: key.stringValue)
  }
  func encode(_ value: Int, forKey key: Key) { encoder.set(value.value, for: key.stringValue) }
  func encode(_ value: Int8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: some Encodable, forKey key: Key) throws {
    encoder.set(try RowEncoder.value(of: value, for: key.stringValue), for: key.stringValue)
  }

  // `nil` is NULL: a column that is left out would take its default.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) { optional(value?.value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { optional(value?.value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { optional(value?.value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) {
    optional(value.map { Double($0).value }, key)
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { optional(value?.value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  private func optional(_ value: Value?, _ key: Key) {
    encoder.set(value ?? .null, for: key.stringValue)
  }

  private func integer(_ value: (some FixedWidthInteger)?, _ key: Key) throws {
    guard let value else { return encodeNil(forKey: key) }
    try encoder.set(integer: value, for: key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      RefusedKeyedEncoding<Nested>(error: .unsupported(key.stringValue, Any.self)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusedEncoding(error: .unsupported(key.stringValue, Any.self))
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
