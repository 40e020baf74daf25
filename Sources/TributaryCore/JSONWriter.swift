/// Writes JSON text, with members in the order in which they are given.
///
/// The text is one line without unnecessary white space. SQLite values that JSON lacks are objects:
/// blobs are `{"blob": "<hex>"}`, text that is not valid UTF-8 is `{"text": "<hex>"}`, infinities
/// are `{"real": "inf"}`.
package struct JSONWriter {
  /// The text so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Structure

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nest("{", "}", body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nest("[", "]", body)
  }

  /// Writes the name of the next member of an object.
  package mutating func name(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func nest(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    bytes.append(UInt8(ascii: opening))
    needsComma = false
    try body(&self)
    bytes.append(UInt8(ascii: closing))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: Values

  package mutating func null() { raw("null") }

  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  package mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

  /// Writes an integer without an intermediate text: lists of keys can be long.
  package mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value.magnitude
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
    }
  }

  package mutating func string(_ value: String) {
    separate()
    quote(value.utf8)
  }

  /// Writes a SQLite value.
  package mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .integer(let integer): self.integer(integer)
    case .real(let real): self.real(real)
    case .text(let text):
      if String(validating: text, as: UTF8.self) != nil {
        separate()
        quote(text)
      } else {
        object { $0.member("text", text.lowerHex) }
      }
    case .blob(let blob): object { $0.member("blob", blob.lowerHex) }
    }
  }

  /// Writes a key: one value, or an array of values for a composite key.
  package mutating func key(_ key: [Value]) {
    if key.count == 1 {
      value(key[0])
    } else {
      array { for part in key { $0.value(part) } }
    }
  }

  private mutating func real(_ real: Double) {
    // Swift writes whole numbers with a point, and otherwise the shortest digits that read back as
    // the same number.
    if real.isFinite {
      raw("\(real)")
    } else {
      object { $0.member("real", real > 0 ? "inf" : real < 0 ? "-inf" : "nan") }
    }
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func quote(_ text: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
      case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
      case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
      case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
      case 0..<0x20, 0x7F: bytes.append(contentsOf: (#"\u00"# + [byte].lowerHex).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Members

  package mutating func member(_ name: String, _ value: String) {
    self.name(name)
    string(value)
  }

  package mutating func member(_ name: String, _ value: some BinaryInteger) {
    self.name(name)
    integer(value)
  }

  package mutating func member(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
    self.name(name)
    try body(&self)
  }

  /// Writes a member that is an object.
  package mutating func object(
    _ name: String, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    self.name(name)
    try object(body)
  }

  /// Writes a member that is an array, each element of which the body writes.
  package mutating func member<Elements: Sequence>(
    _ name: String, each elements: Elements,
    _ body: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    try member(name) { json in
      try json.array { json in for element in elements { try body(&json, element) } }
    }
  }

  /// Writes a member that is an array of objects, whose members the body writes.
  package mutating func member<Elements: Sequence>(
    _ name: String, objects elements: Elements,
    _ body: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    try member(name, each: elements) { json, element in
      try json.object { try body(&$0, element) }
    }
  }

  package mutating func member(_ name: String, strings: some Sequence<String>) {
    member(name, each: strings) { $0.string($1) }
  }
}
