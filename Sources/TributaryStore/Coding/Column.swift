import TributaryCore

/// A value of a row with the name of its column.
struct Column {
  let name: String
  let value: Value

  /// Its content in words, with the number if it is one.
  var kind: String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): "the integer \(integer)"
    case .real(let real): "the number \(real)"
    case .text(let bytes):
      bytes.count <= 40 ? "the text '\(String(decoding: bytes, as: UTF8.self))'" : "a longer text"
    case .blob: "a blob"
    }
  }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard case .integer(let integer) = try present(type), let number = Number(exactly: integer)
    else { throw RowCodingError.wrongType(self, type) }
    return number
  }

  func real(_ type: Any.Type) throws -> Double {
    guard let real = try present(type).realValue else { throw RowCodingError.wrongType(self, type) }
    return real
  }

  func float() throws -> Float {
    guard let float = Float(value: try present(Float.self)) else {
      throw RowCodingError.wrongType(self, Float.self)
    }
    return float
  }

  func bool() throws -> Bool {
    switch try present(Bool.self) {
    case .integer(0): false
    case .integer(1): true
    default: throw RowCodingError.wrongType(self, Bool.self)
    }
  }

  func string() throws -> String {
    guard case .text(let bytes) = try present(String.self) else {
      throw RowCodingError.wrongType(self, String.self)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes any other type.
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    if let readable = type as? any ValueReadable.Type {
      // A type may stand for NULL, as `Value` does.
      if let read = readable.init(value: value) as? Decoded { return read }
      _ = try present(type)
      throw RowCodingError.wrongType(self, type)
    }
    try checkForm(of: type)
    do {
      return try Decoded(from: ColumnDecoder(column: self, type: type))
    } catch is DecodingError {
      // For example, a raw value that matches no case.
      throw RowCodingError.wrongType(self, type)
    }
  }

  private func present(_ type: Any.Type) throws -> Value {
    if value == .null { throw RowCodingError.null(name, type) }
    return value
  }

  /// Refuses types that would be stored in another form once TributaryFoundation is used.
  private func checkForm(of type: Any.Type) throws {
    if RowCoding.needsFoundation(type) { throw RowCodingError.unsupported(name, type) }
  }
}

/// The part that reading and writing share.
enum RowCoding {
  static func needsFoundation(_ type: Any.Type) -> Bool {
    let name = _typeName(type, qualified: true)
    return name.hasPrefix("Foundation") && !name.contains("<")
      && ["Date", "UUID", "Data", "Decimal", "NSDecimal"].contains {
        name.hasSuffix("." + $0)
      }
  }
}
