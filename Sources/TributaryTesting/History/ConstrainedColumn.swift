internal import TributaryCore

/// A column of a table with constraints: few values, so that rows meet.
struct ConstrainedColumn: Sendable {
  enum Kind: CaseIterable, Sendable {
    case integer, text, nocase

    var declaration: String {
      switch self {
      case .integer: "INTEGER"
      case .text: "TEXT"
      case .nocase: "TEXT COLLATE NOCASE"
      }
    }

    var collation: ReferenceCollation { self == .nocase ? .nocase : .binary }

    fileprivate var values: [Value] {
      switch self {
      case .integer: [0, 1, 2, 3, 4]
      case .text, .nocase: ["a", "A", "b", "B", "c"]
      }
    }
  }

  var name: String
  var kind: Kind
  var isNotNull = false
  var defaultValue = Value.null

  var definition: String {
    "\(name) \(kind.declaration)" + (isNotNull ? " NOT NULL" : "")
      + (defaultValue == .null ? "" : " DEFAULT \(defaultValue.literal)")
  }

  var model: ReferenceColumn {
    ReferenceColumn(name, default: defaultValue, notNull: isNotNull)
  }

  var keyColumn: ReferenceKeyColumn { ReferenceKeyColumn(name, collation: kind.collation) }

  func value(using random: inout some RandomNumberGenerator) -> Value {
    if !isNotNull, random.once(in: 6) { return .null }
    return random.pick(kind.values)
  }
}
