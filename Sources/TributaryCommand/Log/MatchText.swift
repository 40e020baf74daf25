import TributaryCore
import TributaryInspection

/// A value as SQL, with the match highlighted. A long value is cut off around the match.
struct MatchText {
  private let pattern: ValuePattern
  private let output: Output

  /// The number of bytes shown before and after a match, and of the match itself.
  private static let contextByteCount = 60
  private static let matchByteCount = 200

  init(_ pattern: ValuePattern, _ output: Output) {
    self.pattern = pattern
    self.output = output
  }

  /// Returns the value as text.
  ///
  /// - Throws: `PatternError`.
  func text(_ value: Value) throws(PatternError) -> String {
    switch value {
    case .null: return output.styled("NULL", .match)
    case .integer(let integer): return try number(String(integer))
    case .real(let real): return try number(ValuePattern.text(real))
    case .text(let bytes):
      guard let match = try match(in: bytes) else {
        return output.styled(Literal.text(value), .match)
      }
      return "'" + cut(bytes, match, isText: true) { Escaping.escaped(Self.doubled($0)) } + "'"
        + rest(bytes.count)
    case .blob(let bytes):
      guard let match = try match(in: bytes) else {
        return output.styled(Literal.text(value), .match)
      }
      return "x'" + cut(bytes, match, isText: false) { $0.lowerHex } + "'" + rest(bytes.count)
    }
  }

  private func number(_ digits: String) throws(PatternError) -> String {
    let bytes = Array(digits.utf8)
    guard let match = try match(in: bytes) else { return output.styled(digits, .match) }
    return cut(bytes, match, isText: true) { String(decoding: $0, as: UTF8.self) }
  }

  private func match(in bytes: [UInt8]) throws(PatternError) -> Range<Int>? {
    var found: Result<Range<Int>?, PatternError> = .success(nil)
    bytes.withUnsafeBytes { bytes in
      do throws(PatternError) {
        found = .success(try pattern.firstMatch(in: bytes))
      } catch { found = .failure(error) }
    }
    return try found.get()
  }

  private func cut(
    _ bytes: [UInt8], _ match: Range<Int>, isText: Bool, _ shown: (ArraySlice<UInt8>) -> String
  ) -> String {
    func widened(_ place: Int, by step: Int) -> Int {
      guard isText else { return place }
      var place = place
      // A character has at most three bytes after its first one.
      for _ in 0..<3 where place > 0 && place < bytes.count && bytes[place] & 0xC0 == 0x80 {
        place += step
      }
      return place
    }
    let start = widened(match.lowerBound, by: -1)
    let end = widened(match.upperBound, by: 1)
    let shownEnd =
      end - start <= Self.matchByteCount ? end : widened(start + Self.matchByteCount, by: 1)
    let before = widened(max(0, start - Self.contextByteCount), by: 1)
    let after =
      shownEnd < end
      ? shownEnd : widened(min(bytes.count, end + Self.contextByteCount), by: -1)
    return (before > 0 ? "…" : "") + shown(bytes[min(before, start)..<start])
      + output.styled(shown(bytes[start..<shownEnd]), .match)
      + shown(bytes[shownEnd..<max(shownEnd, after)])
      + (max(shownEnd, after) < bytes.count ? "…" : "")
  }

  private static func doubled(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.flatMap { $0 == 0x27 ? [$0, $0] : [$0] }
  }

  private func rest(_ count: Int) -> String {
    count > 2 * Self.contextByteCount + Self.matchByteCount ? " (\(count) bytes)" : ""
  }
}
