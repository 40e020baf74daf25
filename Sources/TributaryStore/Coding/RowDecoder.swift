import TributaryCore

/// Decodes rows of one result: each property from the column with its name; a type without keyed properties
/// from the only column.
struct RowDecoder: Decoder {
  /// The columns of a result by name; if several have the same name, the first counts.
  final class Columns {
    let names: [String]
    private lazy var indexes = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ names: [String]) { self.names = names }

    func index(of name: String) -> Int? { indexes[name] }
  }

  let columns: Columns
  let values: [Value]
  /// The type that is being decoded.
  let type: Any.Type

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<Decoded: Decodable>(
    _ type: Decoded.Type, _ columns: Columns, _ values: [Value]
  ) throws -> Decoded {
    let decoder = RowDecoder(columns: columns, values: values, type: type)
    // Types with a single value, which `Decodable` alone cannot distinguish from others.
    if type is any ValueReadable.Type || RowCoding.needsFoundation(type) {
      return try decoder.only().decode(type)
    }
    return try Decoded(from: decoder)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedRow<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RowCodingError.unsupported(nil, type)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    ColumnDecoder(column: try only(), type: type)
  }

  private func only() throws -> Column {
    guard values.count == 1 else {
      throw RowCodingError(
        .wrongType, "the row has \(values.count) columns, and \(type) takes one", column: nil,
        type: type, remedy: "query one column, or use a type with a property for each")
    }
    return Column(name: columns.names[0], value: values[0])
  }
}

/// The columns of a row, read as the properties of a type.
private struct KeyedRow<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { decoder.columns.names.compactMap { Key(stringValue: $0) } }

  private func column(_ key: Key) throws -> Column {
    guard let index = decoder.columns.index(of: key.stringValue) else {
      throw RowCodingError(
        .missingColumn,
        "the row has no column \(key.stringValue), only \(decoder.columns.names.joined(separator: ", "))",
        column: key.stringValue, type: decoder.type,
        remedy: "query it, make the property an optional, or name its column in `CodingKeys`")
    }
    return Column(name: key.stringValue, value: decoder.values[index])
  }

  func contains(_ key: Key) -> Bool { decoder.columns.index(of: key.stringValue) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try column(key).value == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try column(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try column(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try column(key).real(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try column(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try column(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try column(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try column(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try column(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try column(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try column(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try column(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try column(key).integer(type)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try column(key).integer(type)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try column(key).integer(type)
  }
  func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    try column(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw RowCodingError.unsupported(key.stringValue, decoder.type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowCodingError.unsupported(key.stringValue, decoder.type)
  }

  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}
