public import TributaryCore

/// By what the rows of a table without a PRIMARY KEY are known: chosen once, the same on every device.
public enum KnownBy: Hashable, Sendable {
  /// By the UNIQUE key of these columns, in its order.
  case unique([SQLName])
  /// By SQLite's row identifier, as if it were an INTEGER PRIMARY KEY.
  case rowIdentifier
  /// By themselves: each inserted row is one of its own, whatever others insert.
  case themselves
}

extension KnownBy: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unique(let columns):
      "the UNIQUE key (\(columns.map(\.text).joined(separator: ", ")))"
    case .rowIdentifier: "the rowid"
    case .themselves: "themselves"
    }
  }
}

// MARK: In a store

extension KnownBy {
  /// The choice that one word says.
  public init?(word: String) {
    switch word {
    case "rowid": self = .rowIdentifier
    case "themselves": self = .themselves
    default: return nil
    }
  }

  /// The word for it; `nil` for a UNIQUE key, which is said by its columns.
  public var word: String? {
    switch self {
    case .unique: nil
    case .rowIdentifier: "rowid"
    case .themselves: "themselves"
    }
  }

  /// Rows of `tributary_merge`, without the table.
  var rules: [(column: String, rule: String)] {
    if let word { return [("", word)] }
    guard case .unique(let columns) = self else { return [] }
    return columns.enumerated().map { ($1.text, "key \($0 + 1)") }
  }

  /// The place in the key that such a rule gives its column.
  static func place(of rule: String) -> Int? {
    rule.hasPrefix("key ") ? Int(rule.dropFirst(4)) : nil
  }
}
