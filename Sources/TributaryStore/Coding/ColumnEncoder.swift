import TributaryCore

/// Encodes one value, such as an enumeration with a raw value, for a column.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
  private(set) var value: Value?
  private let column: String
  private let type: Any.Type

  var codingPath: [any CodingKey] { [ColumnKey(stringValue: column)] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(column: String, type: Any.Type) {
    self.column = column
    self.type = type
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusedKeyedEncoding<Key>(error: .unsupported(column, self.type)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusedEncoding(error: .unsupported(column, type))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { value = .null }
  func encode(_ value: Bool) { self.value = value.value }
  func encode(_ value: String) { self.value = value.value }
  func encode(_ value: Double) { self.value = value.value }
  func encode(_ value: Float) { self.value = Double(value).value }
  func encode(_ value: Int) { self.value = value.value }
  func encode(_ value: Int8) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: Int16) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: Int32) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: Int64) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: UInt) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: UInt8) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: UInt16) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: UInt32) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: UInt64) throws { self.value = try RowEncoder.value(value, column) }
  func encode(_ value: some Encodable) throws {
    self.value = try RowEncoder.value(of: value, for: column)
  }
}
