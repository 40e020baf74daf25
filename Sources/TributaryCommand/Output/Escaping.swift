import TributaryCore

/// Escapes text with arbitrary contents, so that it can neither move the cursor nor break a line.
package enum Escaping {
  /// Replaces control characters, and characters that reorder text, with escapes such as `\n`,
  /// `\x1b` or `\u{202e}`.
  package static func escaped(_ text: String) -> String {
    isPlain(text.utf8) ? text : escape(text.unicodeScalars)
  }

  /// Escapes bytes that may not be UTF-8; each invalid byte becomes an escape such as `\xff`.
  package static func escaped(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return escaped(text) }
    var text = ""
    var decoder = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var position = bytes.startIndex
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let scalar):
        text += escape(CollectionOfOne(UTF8.decode(scalar)))
        position = bytes.index(position, offsetBy: scalar.count)
      case .error(let length):
        for byte in bytes[position...].prefix(length) { text += #"\x"# + [byte].lowerHex }
        position = bytes.index(position, offsetBy: length)
      case .emptyInput: return text
      }
    }
  }

  private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { (0x20..<0x7F).contains($0) }
  }

  private static func escape(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in scalars {
      switch scalar.value {
      case 0x0A: text.append(contentsOf: #"\n"#.unicodeScalars)
      case 0x0D: text.append(contentsOf: #"\r"#.unicodeScalars)
      case 0x09: text.append(contentsOf: #"\t"#.unicodeScalars)
      case 0..<0x20, 0x7F..<0xA0:
        text.append(contentsOf: (#"\x"# + [UInt8(scalar.value)].lowerHex).unicodeScalars)
      // Line and paragraph separators; directional marks, embeddings, overrides and isolates.
      case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C:
        text.append(contentsOf: #"\u{\#(String(scalar.value, radix: 16))}"#.unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
