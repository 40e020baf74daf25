internal import CPlatform
package import TributaryCore
internal import TributaryLog

/// A pattern for values. Text and blobs are matched as bytes, numbers as decimal digits, and NULL
/// only if it is requested as a whole value.
package struct ValuePattern {
  private enum Kind {
    case everything
    /// In lower case if case is ignored.
    case fixed([UInt8])
    case expression(RegularExpression)
    case whole([Value])
  }

  private let kind: Kind
  private let ignoresCase: Bool
  /// Whether a number may match: only then are its digits written.
  private let mayBeNumber: Bool

  /// A pattern that matches every change, whatever its values.
  package static var everything: ValuePattern { ValuePattern(.everything, false) }

  /// Returns a pattern for a string that occurs in the value; an empty one matches everything.
  ///
  /// - Parameter ignoringCase: whether to ignore the case of ASCII letters.
  package static func fixed(_ string: String, ignoringCase: Bool) -> ValuePattern {
    let bytes = Array(string.utf8)
    if bytes.isEmpty { return everything }
    return ValuePattern(.fixed(ignoringCase ? bytes.map(lowered) : bytes), ignoringCase)
  }

  /// Returns a pattern for a POSIX extended regular expression that matches somewhere in the value;
  /// an empty one matches everything.
  ///
  /// - Throws: `PatternError`.
  package static func expression(
    _ pattern: String, ignoringCase: Bool
  ) throws(PatternError) -> ValuePattern {
    if pattern.isEmpty { return everything }
    return ValuePattern(
      .expression(try RegularExpression(pattern, ignoringCase: ignoringCase)), ignoringCase)
  }

  /// Returns a pattern for values that, as a whole, are one of these; 1 and 1.0 are equal.
  package static func whole(_ values: [Value], ignoringCase: Bool) -> ValuePattern {
    ValuePattern(.whole(values), ignoringCase)
  }

  private init(_ kind: Kind, _ ignoresCase: Bool) {
    self.kind = kind
    self.ignoresCase = ignoresCase
    switch kind {
    case .fixed(let bytes): mayBeNumber = bytes.allSatisfy(Self.isOfNumber)
    default: mayBeNumber = true
    }
  }

  /// Whether it matches every change.
  package var isEverything: Bool { if case .everything = kind { true } else { false } }

  /// Whether a change may have a matching value, after a quick scan of all its bytes.
  func mayMatch(_ image: UnsafeRawBufferPointer) -> Bool {
    guard case .fixed(let wanted) = kind, !mayBeNumber, !ignoresCase else { return true }
    return Self.find(wanted, image) != nil
  }

  /// Whether a value matches.
  ///
  /// - Throws: `PatternError` if the system lacks memory.
  func matches(_ value: ValueView) throws(PatternError) -> Bool {
    switch kind {
    case .everything: return value.kind != .absent
    case .whole(let values): return values.contains { isEqual($0, value) }
    case .fixed, .expression: break
    }
    switch value.kind {
    case .null, .absent: return false
    case .text, .blob: return try occurs(in: value.bytes)
    case .integer, .real:
      guard mayBeNumber else { return false }
      return try Self.withDigits(of: value) { (bytes) throws(PatternError) in
        try occurs(in: bytes)
      }
    }
  }

  /// Returns the position of the first match in the bytes of a value, or in the digits of a number; `nil` if
  /// there is none, or if the value matches as a whole.
  ///
  /// - Throws: as `matches` does.
  package func firstMatch(in bytes: UnsafeRawBufferPointer) throws(PatternError) -> Range<Int>? {
    switch kind {
    case .everything, .whole: nil
    case .fixed(let wanted):
      (ignoresCase ? Self.findFolded(wanted, bytes) : Self.find(wanted, bytes))
        .map { $0..<$0 + wanted.count }
    case .expression(let expression): try expression.firstMatch(in: bytes)
    }
  }

  private func occurs(in bytes: UnsafeRawBufferPointer) throws(PatternError) -> Bool {
    if case .expression(let expression) = kind { return try expression.matches(bytes) }
    return try firstMatch(in: bytes) != nil
  }

  // MARK: Whole values

  private func isEqual(_ wanted: Value, _ value: ValueView) -> Bool {
    switch (wanted, value.kind) {
    case (.null, .null): true
    case (.integer(let integer), .integer): integer == value.integer
    case (.integer(let integer), .real): Double(exactly: integer) == value.real
    case (.real(let real), .integer): Double(exactly: value.integer) == real
    case (.real(let real), .real): real == value.real
    case (.text(let text), .text): areEqual(text, value.bytes)
    case (.blob(let blob), .blob): value.bytes.elementsEqual(blob)
    default: false
    }
  }

  private func areEqual(_ text: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.count == bytes.count else { return false }
    return ignoresCase
      ? zip(text, bytes).allSatisfy { Self.lowered($0) == Self.lowered($1) }
      : bytes.elementsEqual(text)
  }

  // MARK: Bytes

  private static func find(_ wanted: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= wanted.count, let base = bytes.baseAddress else { return nil }
    let place = tributary_find(base, bytes.count, wanted, wanted.count)
    return place < 0 ? nil : place
  }

  private static func findFolded(_ wanted: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    return (0...bytes.count - wanted.count).first { start in
      // A loop over indices, since it runs for every byte.
      var index = 0
      while index < wanted.count, lowered(bytes[start + index]) == wanted[index] { index += 1 }
      return index == wanted.count
    }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether the byte may occur in a printed number.
  private static func isOfNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || "+-.eEinfINF".utf8.contains(byte)
  }

  private static func withDigits<Result>(
    of value: ValueView, _ body: (UnsafeRawBufferPointer) throws(PatternError) -> Result
  ) throws(PatternError) -> Result {
    var digits = value.kind == .integer ? String(value.integer) : text(value.real)
    var result: Swift.Result<Result, PatternError>?
    digits.withUTF8 { bytes in
      do throws(PatternError) {
        result = .success(try body(UnsafeRawBufferPointer(bytes)))
      } catch { result = .failure(error) }
    }
    return try result.unsafelyUnwrapped.get()
  }

  /// Returns the shortest digits that read back as the same number; infinities as SQLite prints
  /// them.
  package static func text(_ real: Double) -> String {
    real.isFinite ? "\(real)" : real > 0 ? "Inf" : "-Inf"
  }
}
