import TributaryCore

/// Decodes one column, such as a column with the raw value of an enumeration.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
  let column: Column
  /// The type that is being decoded.
  let type: Any.Type

  var codingPath: [any CodingKey] { [ColumnKey(stringValue: column.name)] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw RowCodingError.unsupported(column.name, self.type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RowCodingError.unsupported(column.name, type)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { column.value == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try column.bool() }
  func decode(_ type: String.Type) throws -> String { try column.string() }
  func decode(_ type: Double.Type) throws -> Double { try column.real(type) }
  func decode(_ type: Float.Type) throws -> Float { try column.float() }
  func decode(_ type: Int.Type) throws -> Int { try column.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try column.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try column.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try column.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try column.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try column.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try column.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try column.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try column.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try column.integer(type) }
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    try column.decode(type)
  }
}

/// The name of a column as the key of a property.
struct ColumnKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
