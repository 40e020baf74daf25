internal import TributaryCore

/// Reads JSON as a property list: the objects that `PropertyListValue.json` writes for data and dates become
/// data and dates again.
package struct PropertyListJSONReader {
  /// Why a text is not a property list, and where.
  package struct Failure: Error {
    package var message: String
    /// The position in bytes from the start.
    package var offset: Int
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns the value of a JSON text.
  package static func value(_ text: String) throws(Failure) -> PropertyListValue {
    var reader = PropertyListJSONReader(text)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == reader.bytes.count else {
      throw reader.failure("something follows the value")
    }
    return value
  }

  private func failure(_ message: String) -> Failure { Failure(message: message, offset: position) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> PropertyListValue {
    guard depth <= PropertyListValue.depthLimit else {
      throw failure("it is nested deeper than \(PropertyListValue.depthLimit) levels")
    }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }

  private mutating func array(_ depth: Int) throws(Failure) -> PropertyListValue {
    position += 1
    var elements: [PropertyListValue] = []
    if take("]") { return .array(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw failure("',' or ']' is missing") }
    return .array(elements)
  }

  private mutating func object(_ depth: Int) throws(Failure) -> PropertyListValue {
    position += 1
    var members: [String: PropertyListValue] = [:]
    if take("}") { return .dictionary(members) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is missing") }
      let name = try string()
      guard take(":") else { throw failure("':' is missing") }
      let member = try value(depth: depth + 1)
      guard members.updateValue(member, forKey: name) == nil else {
        throw failure("the name '\(name)' occurs twice in one object")
      }
    } while take(",")
    guard take("}") else { throw failure("',' or '}' is missing") }
    return Self.special(members) ?? .dictionary(members)
  }

  /// Returns the data or date that an object stands for; `nil` for any other object.
  private static func special(_ members: [String: PropertyListValue]) -> PropertyListValue? {
    guard members.count == 1, let (name, value) = members.first, case .string(let text) = value
    else { return nil }
    switch name {
    case "blob": return PropertyListValue(text, as: .data)
    case "date": return PropertyListValue(text, as: .date)
    default: return nil
    }
  }

  /// Reads a number or `true` or `false`; the reader of `JSONValue` knows what a number is.
  private mutating func word() throws(Failure) -> PropertyListValue {
    let start = position
    while let byte = next, ![0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D].contains(byte) {
      position += 1
    }
    let word = Array(bytes[start..<position])
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null":
      position = start
      throw failure("a property list cannot contain null")
    case "":
      throw failure("a value is missing")
    default:
      switch JSONValue(word) {
      case .value(.integer(let integer)): return .integer(integer)
      case .value(.real(let real)): return .real(real)
      default:
        position = start
        throw failure("'\(String(decoding: word.prefix(40), as: UTF8.self))' is not a value")
      }
    }
  }

  /// Reads quoted text, also with the reader of `JSONValue`.
  private mutating func string() throws(Failure) -> String {
    let start = position
    position += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count else {
      position = start
      throw failure("a text has no end")
    }
    position += 1
    guard case .value(.text(let text))? = JSONValue(Array(bytes[start..<position])) else {
      position = start
      throw failure("a text has a character or an escape sequence that JSON does not allow")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
