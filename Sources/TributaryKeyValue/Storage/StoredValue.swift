package import TributaryCore

/// A value as stored in the table: its type, and what SQLite stores for it.
package struct StoredValue: Hashable, Sendable {
  /// The name of the type.
  package let type: String
  package let value: Value
  /// Its size as measured against the limits: the bytes of a string (UTF-8) or of data, 8 for a number or a
  /// date, 1 for a bool, the bytes of the binary property list for an array or a dictionary.
  package let byteCount: Int

  /// Makes a value from the columns of the table.
  package init(type: String, value: Value) {
    self.type = type
    self.value = value
    byteCount =
      switch value {
      case .null: 0
      case .integer: type == PropertyListValue.Kind.bool.rawValue ? 1 : 8
      case .real: 8
      case .text(let bytes), .blob(let bytes): bytes.count
      }
  }

  package init(_ value: PropertyListValue) {
    let stored: Value =
      switch value {
      case .string(let string): .string(string)
      case .integer(let integer): .integer(integer)
      case .real(let real), .date(let real): .real(real)
      case .bool(let bool): .integer(bool ? 1 : 0)
      case .data(let data): .blob(data)
      case .array, .dictionary: .blob(BinaryPropertyListWriter.bytes(of: value))
      }
    self.init(type: value.kind.rawValue, value: stored)
  }

  /// The value that it stands for; `nil` if another program has written something that is not one.
  package var propertyListValue: PropertyListValue? {
    switch (PropertyListValue.Kind(rawValue: type), value) {
    case (.string, .text(let bytes)):
      String(validating: bytes, as: UTF8.self).map { .string($0) }
    case (.integer, .integer(let integer)): .integer(integer)
    case (.real, .real(let real)): .real(real)
    case (.real, .integer(let integer)): .real(Double(integer))
    case (.date, .real(let date)): .date(date)
    case (.date, .integer(let integer)): .date(Double(integer))
    case (.bool, .integer(let integer)): .bool(integer != 0)
    case (.data, .blob(let bytes)): .data(bytes)
    case (.array, .blob(let bytes)), (.dictionary, .blob(let bytes)): collection(bytes)
    default: nil
    }
  }

  private func collection(_ bytes: [UInt8]) -> PropertyListValue? {
    guard let value = BinaryPropertyListReader.value(bytes), value.kind.rawValue == type else {
      return nil
    }
    return value
  }
}
