internal import TributaryCore

/// A column of a table with constraints. It has few values, so that rows collide.
struct ConstrainedColumn: Sendable {
  enum Kind: Sendable {
    case integer, text, nocase
    /// For numbers of other rows: as text, or as whatever was given.
    case numeral, any

    /// The kinds of columns that nothing refers to.
    static let plain: [Kind] = [.integer, .text, .nocase]

    var declaration: String {
      switch self {
      case .integer: "INTEGER"
      case .text: "TEXT"
      case .nocase: "TEXT COLLATE NOCASE"
      case .numeral: "VARCHAR(20)"
      case .any: ""
      }
    }

    var isText: Bool { self == .text || self == .nocase || self == .numeral }

    fileprivate var affinity: ReferenceAffinity {
      switch self {
      case .integer: .numeric
      case .text, .nocase, .numeral: .text
      case .any: .none
      }
    }

    /// A default in the form that the column stores.
    var defaultValue: Value {
      switch self {
      case .integer: 1
      case .text, .nocase: "a"
      case .numeral, .any: "1"
      }
    }

    var collation: ReferenceCollation { self == .nocase ? .nocase : .binary }

    fileprivate var values: [Value] {
      switch self {
      case .integer: [0, 1, 2, 3, 4]
      case .text, .nocase: ["a", "A", "b", "B", "c"]
      case .numeral: ["0", "1", "02", "2", "a"]
      case .any: [0, "1", "02", 2.0, 2]
      }
    }
  }

  var name: String
  var kind: Kind
  var isNotNull = false
  /// The conflict clause of NOT NULL.
  var notNullClause: ConflictClause?
  var defaultValue = Value.null

  var definition: String {
    "\(name) \(kind.declaration)" + (isNotNull ? " NOT NULL\(notNullClause?.definition ?? "")" : "")
      + (defaultValue == .null ? "" : " DEFAULT \(defaultValue.literal)")
  }

  var model: ReferenceColumn {
    ReferenceColumn(name, default: defaultValue, notNull: isNotNull)
  }

  var keyColumn: ReferenceKeyColumn {
    ReferenceKeyColumn(name, collation: kind.collation, affinity: kind.affinity)
  }

  /// Returns a value that the column refers to, perhaps spelled differently.
  func spelling(_ value: Value, using random: inout some RandomNumberGenerator) -> Value {
    guard kind == .numeral || kind == .any, case .integer(let number) = value else { return value }
    return random.pick([
      value, .text(Array("\(number)".utf8)), .text(Array(" \(number)".utf8)),
      .text(Array("\(number).0".utf8)), .real(Double(number)),
    ])
  }

  func value(using random: inout some RandomNumberGenerator) -> Value {
    if !isNotNull, random.once(in: 6) { return .null }
    return random.pick(kind.values)
  }
}
