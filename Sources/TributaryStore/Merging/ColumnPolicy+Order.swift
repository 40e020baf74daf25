package import TributaryCore

extension ColumnPolicy {
  /// Returns the value of a column after an update with `change`.
  package func merged(_ change: Value, into old: Value) -> Value {
    switch self {
    case .latest, .last: return change
    case .counter:
      guard case .integer(let increment) = change else { return change }
      if case .integer(let count) = old { return .integer(count &+ increment) }
      // NULL counts as 0; any other value was there before the column became a counter.
      return .integer(increment)
    case .max, .min: return prevails(change, over: old) ? change : old
    }
  }

  /// Whether a column with this policy takes the new value; otherwise it keeps the old one.
  ///
  /// Any other value prevails over NULL, and of two values that SQLite considers equal, the new one
  /// prevails.
  package func prevails(_ new: Value, over old: Value) -> Bool {
    switch self {
    case .latest, .last, .counter: true
    case .max: old == .null || new != .null && Self.order(new, old) >= 0
    case .min: old == .null || new != .null && Self.order(new, old) <= 0
    }
  }

  /// Returns the sign of the order in which SQLite sorts two values, text by its bytes.
  ///
  /// Source: https://www.sqlite.org/datatype3.html#comparison_expressions
  static func order(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): -order(b, a)
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
      a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
    default: rank(a) - rank(b)
    }
  }

  /// Compares exactly; converting the integer would round it.
  private static func order(_ integer: Int64, _ real: Double) -> Int {
    if real < -0x1p63 { return 1 }
    if real >= 0x1p63 { return -1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = real - Double(whole)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
