package import TributaryCore
package import TributaryLog

/// A key to look for: for each of its columns, the acceptable values.
package struct KeyFilter: Sendable {
  /// What was typed may mean a number, or a text that looks like one.
  private let columns: [[Value]]

  /// Makes a filter.
  ///
  /// - Parameter columns: the acceptable values for each column of the key, in its order.
  package init(_ columns: [[Value]]) { self.columns = columns }

  /// Whether a key is accepted, compared as the columns of the key do.
  package func includes(_ key: [Value], _ collations: [Collation]) -> Bool {
    key.count == columns.count
      && zip(zip(key, collations), columns).allSatisfy { part, wanted in
        wanted.contains { Self.areEqual(part.0, $0, part.1) }
      }
  }

  private static func areEqual(_ a: Value, _ b: Value, _ collation: Collation) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)): folded(a, collation).elementsEqual(folded(b, collation))
    case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)):
      Double(exactly: a) == b
    default: a == b
    }
  }

  private static func folded(_ text: [UInt8], _ collation: Collation) -> [UInt8] {
    switch collation {
    case .binary: text
    case .nocase: text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    case .rtrim: Array(text[..<(text.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)])
    }
  }
}
