package import TributaryCore
package import TributaryLog

/// A key to look for: the acceptable values for each of its columns.
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
        let value = part.0.canonical(under: part.1)
        return wanted.contains { $0.canonical(under: part.1) == value }
      }
  }
}

extension Value {
  /// Returns the value that stands for all values that are the same key under a collation.
  func canonical(under collation: Collation) -> Value {
    switch self {
    // SQLite considers 1 and 1.0 the same key.
    case .real(let real): Int64(exactly: real).map(Value.integer) ?? self
    case .text(let bytes):
      switch collation {
      case .binary: self
      case .nocase: .text(bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
      case .rtrim: .text(Array(bytes[..<(bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)]))
      }
    default: self
    }
  }
}
