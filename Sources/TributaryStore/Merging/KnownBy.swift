public import TributaryCore

/// What identifies the rows of a table without a PRIMARY KEY. It is chosen once, and is the same on every
/// device.
public enum KnownBy: Hashable, Sendable {
  /// The UNIQUE key of these columns, in its order.
  case unique([SQLName])
  /// SQLite's row identifier, as if it were an INTEGER PRIMARY KEY.
  case rowIdentifier
  /// Nothing but the rows themselves: each inserted row is a separate one, whatever other devices insert.
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
  /// Reads the word for a choice.
  package init?(word: String) {
    switch word {
    case "rowid": self = .rowIdentifier
    case "themselves": self = .themselves
    default: return nil
    }
  }

  /// The word for the choice; `nil` for a UNIQUE key, which is given by its columns.
  package var word: String? {
    switch self {
    case .unique: nil
    case .rowIdentifier: "rowid"
    case .themselves: "themselves"
    }
  }

  /// The rows of `tributary_merge`, without the table.
  var rules: [(column: String, rule: String)] {
    if let word { return [("", word)] }
    guard case .unique(let columns) = self else { return [] }
    return columns.enumerated().map { ($1.text, "key \($0 + 1)") }
  }

  /// Returns the position in the key that a rule gives its column.
  static func place(of rule: String) -> Int? {
    rule.hasPrefix("key ") ? Int(rule.dropFirst(4)) : nil
  }
}
