import TributaryCore
import TributaryInspection
import TributaryLog

/// Values as readable SQL: safe for a terminal, and cut off if they are long.
package enum Literal {
  /// The number of bytes of a text or blob to show.
  private static let shownByteCount = 200

  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): text(real)
    case .text(let bytes): quoted(bytes)
    case .blob(let bytes): "x'" + bytes.prefix(shownByteCount).lowerHex + "'" + rest(bytes.count)
    }
  }

  /// Returns a key: its values, in parentheses if there are several.
  package static func key(_ key: [Value]) -> String {
    key.count == 1 ? text(key[0]) : "(" + key.map(text).joined(separator: ", ") + ")"
  }

  /// Returns the shortest digits that read back as the same number; infinities as SQLite prints
  /// them.
  static func text(_ real: Double) -> String { ValuePattern.text(real) }

  private static func quoted(_ bytes: [UInt8]) -> String {
    var shown = bytes.prefix(shownByteCount)
    if shown.count < bytes.count {
      // Not inside a character, of which up to three bytes may have been kept.
      for _ in 0..<3 where String(validating: shown, as: UTF8.self) == nil { shown.removeLast() }
    }
    let text = Escaping.escaped(shown.flatMap { $0 == 0x27 ? [$0, $0] : [$0] })
    return "'\(text)'" + rest(bytes.count)
  }

  private static func rest(_ count: Int) -> String {
    count > shownByteCount ? "… (\(count) bytes)" : ""
  }
}
