/// JSON text as `JSONWriter` writes it, taken apart; values of SQLite are whole again.
public enum JSONValue: Equatable, Sendable {
  /// A number with a point or an exponent is a real, any other an integer; `true` and `false` are 1
  /// and 0.
  case value(Value)
  case array([JSONValue])
  /// Members in their order.
  case object([(name: String, value: JSONValue)])

  /// - Returns: `nil` for anything that is no JSON, is nested deeper than 16 levels, or has
  ///   something after it.
  public init?(_ text: [UInt8]) {
    let value: JSONValue? = text.withUnsafeBytes { bytes in
      var reader = Reader(bytes: bytes)
      guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
      return value
    }
    guard let value else { return nil }
    self = value
  }

  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.value(let left), .value(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.elementsEqual(right) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value }
    default: false
    }
  }
}

extension [UInt8] {
  /// Reads two lower-case hexadecimal digits a byte.
  fileprivate init?(hex digits: [UInt8]) {
    guard digits.count % 2 == 0 else { return nil }
    self.init()
    reserveCapacity(digits.count / 2)
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt64(lowerHex: digits[start..<start + 2]) else { return nil }
      append(UInt8(byte))
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
      while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
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

    /// What JSON itself does not have.
    private static func special(_ members: [(name: String, value: JSONValue)]) -> JSONValue? {
      guard members.count == 1, case .value(.text(let text)) = members[0].value else { return nil }
      switch (members[0].name, text) {
      case ("blob", _): return [UInt8](hex: text).map { .value(.blob($0)) }
      case ("text", _): return [UInt8](hex: text).map { .value(.text($0)) }
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
        if let integer = Int64(text) { return .value(.integer(integer)) }
        guard text.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
        return Double(text).map { .value(.real($0)) }
      }
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
      while let byte = next {
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return text
        case UInt8(ascii: "\\"):
          guard escape(into: &text) else { return nil }
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
      guard let byte = next else { return false }
      position += 1
      switch byte {
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        // Control characters alone are written so.
        guard position + 4 <= bytes.count,
          let code = UInt8(
            String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { return false }
        position += 4
        text += String(Unicode.Scalar(code)).utf8
      default: text.append(byte)
      }
      return true
    }
  }
}
