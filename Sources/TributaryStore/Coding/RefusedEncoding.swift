/// The encoder for a type that has no form in a column: it throws an error at the first value.
struct RefusedEncoding: UnkeyedEncodingContainer, SingleValueEncodingContainer, Encoder {
  let error: RowCodingError

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var count: Int { 0 }

  func encodeNil() throws { throw error }
  func encode(_ value: some Encodable) throws { throw error }
  func encode(_ value: Bool) throws { throw error }
  func encode(_ value: String) throws { throw error }
  func encode(_ value: Double) throws { throw error }
  func encode(_ value: Float) throws { throw error }
  func encode(_ value: Int) throws { throw error }
  func encode(_ value: Int8) throws { throw error }
  func encode(_ value: Int16) throws { throw error }
  func encode(_ value: Int32) throws { throw error }
  func encode(_ value: Int64) throws { throw error }
  func encode(_ value: UInt) throws { throw error }
  func encode(_ value: UInt8) throws { throw error }
  func encode(_ value: UInt16) throws { throw error }
  func encode(_ value: UInt32) throws { throw error }
  func encode(_ value: UInt64) throws { throw error }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusedKeyedEncoding<Key>(error: error))
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func superEncoder() -> any Encoder { self }
}

/// The same for a type with properties.
struct RefusedKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let error: RowCodingError

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { throw error }
  func encode(_ value: some Encodable, forKey key: Key) throws { throw error }
  func encode(_ value: Bool, forKey key: Key) throws { throw error }
  func encode(_ value: String, forKey key: Key) throws { throw error }
  func encode(_ value: Double, forKey key: Key) throws { throw error }
  func encode(_ value: Float, forKey key: Key) throws { throw error }
  func encode(_ value: Int, forKey key: Key) throws { throw error }
  func encode(_ value: Int8, forKey key: Key) throws { throw error }
  func encode(_ value: Int16, forKey key: Key) throws { throw error }
  func encode(_ value: Int32, forKey key: Key) throws { throw error }
  func encode(_ value: Int64, forKey key: Key) throws { throw error }
  func encode(_ value: UInt, forKey key: Key) throws { throw error }
  func encode(_ value: UInt8, forKey key: Key) throws { throw error }
  func encode(_ value: UInt16, forKey key: Key) throws { throw error }
  func encode(_ value: UInt32, forKey key: Key) throws { throw error }
  func encode(_ value: UInt64, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusedKeyedEncoding<Nested>(error: error))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusedEncoding(error: error)
  }

  func superEncoder() -> any Encoder { RefusedEncoding(error: error) }
  func superEncoder(forKey key: Key) -> any Encoder { RefusedEncoding(error: error) }
}
