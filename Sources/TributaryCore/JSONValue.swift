/// A parsed JSON text, in the form that `JSONWriter` writes. The objects that stand for SQLite values become
/// values again.
package enum JSONValue: Equatable, Sendable {
  /// A number with a point or an exponent is a real, any other number an integer; `true` and
  /// `false` are 1 and 0.
  case value(Value)
  case array([JSONValue])
  /// The members, in their order.
  case object([(name: String, value: JSONValue)])

  /// Parses a JSON text.
  ///
  /// - Returns: `nil` for anything that is not JSON, is nested deeper than 16 levels, or is
  ///   followed by something else.
  package init?(_ text: [UInt8]) {
    let value: JSONValue? = text.withUnsafeBytes { bytes in
      var reader = Reader(bytes: bytes)
      guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
      return value
    }
    guard let value else { return nil }
    self = value
  }

  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.value(let left), .value(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.elementsEqual(right) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value }
    default: false
    }
  }
}

extension JSONValue {
  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return position == bytes.count
      }
    }

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

    mutating func value(depth: Int) -> JSONValue? {
      guard depth < 16 else { return nil }
      skipSpace()
      switch next {
      case UInt8(ascii: "{"): return object(depth)
      case UInt8(ascii: "["): return array(depth)
      case UInt8(ascii: "\""): return string().map { .value(.text($0)) }
      default: return word()
      }
    }

    private mutating func array(_ depth: Int) -> JSONValue? {
      var elements: [JSONValue] = []
      guard take("[") else { return nil }
      if take("]") { return .array([]) }
      repeat {
        guard let element = value(depth: depth + 1) else { return nil }
        elements.append(element)
      } while take(",")
      return take("]") ? .array(elements) : nil
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
      var members: [(name: String, value: JSONValue)] = []
      guard take("{") else { return nil }
      if take("}") { return .object([]) }
      repeat {
        skipSpace()
        guard let name = string(), take(":"), let value = value(depth: depth + 1) else {
          return nil
        }
        members.append((String(decoding: name, as: UTF8.self), value))
      } while take(",")
      guard take("}") else { return nil }
      return Self.special(members) ?? .object(members)
    }

    /// Returns the SQLite value that JSON lacks and an object stands for; `nil` for any other object.
    private static func special(_ members: [(name: String, value: JSONValue)]) -> JSONValue? {
      guard members.count == 1, case .value(.text(let text)) = members[0].value else { return nil }
      switch (members[0].name, text) {
      case ("blob", _): return [UInt8](lowerHex: text).map { .value(.blob($0)) }
      case ("text", _): return [UInt8](lowerHex: text).map { .value(.text($0)) }
      case ("real", Array("inf".utf8)): return .value(.real(.infinity))
      case ("real", Array("-inf".utf8)): return .value(.real(-.infinity))
      default: return nil
      }
    }

    private mutating func word() -> JSONValue? {
      let start = position
      while let byte = next, Self.isPartOfWord(byte) { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      switch text {
      case "null": return .value(.null)
      case "true": return .value(.integer(1))
      case "false": return .value(.integer(0))
      default:
        guard let isReal = Self.isReal(text.utf8) else { return nil }
        if !isReal { return Int64(text).map { .value(.integer($0)) } }
        return Double(text).flatMap { $0.isFinite ? .value(.real($0)) : nil }
      }
    }

    /// Whether a number has a point or an exponent; `nil` for text that is not a number.
    private static func isReal(_ text: String.UTF8View) -> Bool? {
      var rest = text[...]
      func digits() -> Int {
        let count = rest.prefix { (0x30...0x39).contains($0) }.count
        rest = rest.dropFirst(count)
        return count
      }
      func take(_ bytes: String) -> Bool {
        guard let first = rest.first, bytes.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
      }
      _ = take("-")
      // No digit may follow a leading zero.
      guard take("0") || digits() > 0 else { return nil }
      var isReal = false
      if take(".") {
        guard digits() > 0 else { return nil }
        isReal = true
      }
      if take("eE") {
        _ = take("+-")
        guard digits() > 0 else { return nil }
        isReal = true
      }
      return rest.isEmpty ? isReal : nil
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
        true
      default: false
      }
    }

    private mutating func string() -> [UInt8]? {
      guard next == UInt8(ascii: "\"") else { return nil }
      position += 1
      var text: [UInt8] = []
      var isASCII = true
      while let byte = next {
        position += 1
        switch byte {
        case UInt8(ascii: "\""):
          return isASCII || String(validating: text, as: UTF8.self) != nil ? text : nil
        case UInt8(ascii: "\\"):
          guard let scalar = escape() else { return nil }
          text += UTF8.encode(scalar).unsafelyUnwrapped
        case 0..<0x20: return nil
        default:
          isASCII = isASCII && byte < 0x80
          text.append(byte)
        }
      }
      return nil
    }

    /// Reads the character of an escape sequence.
    private mutating func escape() -> Unicode.Scalar? {
      guard let byte = next else { return nil }
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
      case UInt8(ascii: "b"): return "\u{8}"
      case UInt8(ascii: "f"): return "\u{C}"
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"):
        guard let unit = codeUnit() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else {
          // A trail surrogate without its lead is not a character.
          return Unicode.Scalar(unit)
        }
        guard next == UInt8(ascii: "\\") else { return nil }
        position += 1
        guard next == UInt8(ascii: "u") else { return nil }
        position += 1
        guard let trail = codeUnit(), UTF16.isTrailSurrogate(trail) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
      default: return nil
      }
    }

    /// Reads the four digits of a `\u`.
    private mutating func codeUnit() -> UInt16? {
      guard position + 4 <= bytes.count else { return nil }
      var unit: UInt16 = 0
      for byte in bytes[position..<position + 4] {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        unit = unit << 4 | UInt16(digit)
      }
      position += 4
      return unit
    }
  }
}
