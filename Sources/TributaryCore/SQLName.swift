/// The name of a table, a column, an index or the like, compared as SQLite compares names: upper- and
/// lower-case ASCII letters are equal, and everything else is compared byte by byte.
///
/// `String` considers canonically equivalent spellings equal, and folds the case of all letters using tables
/// that differ between versions of Unicode. To SQLite, "Ä" and "ä" are two different tables.
///
/// Source: https://www.sqlite.org/c3ref/stricmp.html
public struct SQLName: Sendable {
  /// The name as it was spelled.
  public let text: String

  /// Makes a name as it was spelled.
  public init(_ text: String) { self.text = text }

  /// The name with ASCII letters in lower case. Equal names have equal bytes here, on every device.
  package var folded: String {
    text.utf8.contains(where: Self.isUpperCase)
      ? String(decoding: text.utf8.lazy.map(Self.folded), as: UTF8.self) : text
  }

  /// Whether the name begins with a prefix, ignoring the case of ASCII letters.
  package func hasPrefix(_ prefix: String) -> Bool {
    text.utf8.lazy.map(Self.folded).starts(with: prefix.utf8.lazy.map(Self.folded))
  }

  /// Whether the name contains these letters, ignoring the case of ASCII letters.
  package func contains(_ letters: String) -> Bool {
    let wanted = letters.utf8.map(Self.folded)
    var rest = text.utf8[...]
    while rest.count >= wanted.count {
      if rest.lazy.map(Self.folded).starts(with: wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  private static func isUpperCase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

  private static func folded(_ byte: UInt8) -> UInt8 { isUpperCase(byte) ? byte | 0x20 : byte }
}

extension SQLName: Hashable {
  public static func == (a: SQLName, b: SQLName) -> Bool {
    var (first, second) = (a.text, b.text)
    return first.withUTF8 { a in
      second.withUTF8 { b in
        a.count == b.count
          && a.indices.allSatisfy { a[$0] == b[$0] || folded(a[$0]) == folded(b[$0]) }
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    // Hashing eight bytes at once costs as much as hashing one.
    var word: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(Self.folded(byte))
      count += 1
      if count & 7 == 0 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(count)
  }
}

extension SQLName: Comparable {
  /// Compares the folded bytes.
  public static func < (a: SQLName, b: SQLName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8) { folded($0) < folded($1) }
  }
}

extension SQLName: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension SQLName: CustomStringConvertible {
  public var description: String { text }
}

extension Sequence {
  /// Returns the elements in the order of the bytes of their names, upper case before lower case:
  /// the same on every device.
  package func sorted(byBytesOf name: (Element) -> String) -> [Element] {
    sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
  }
}
