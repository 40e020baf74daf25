/// The choice of the replicated tables of a store.
public enum TableSelection: Hashable, Sendable {
  /// Every user table, including those created later.
  case all
  /// These tables alone.
  case only([String])
  /// All tables but these.
  case except([String])

  /// Whether a table is replicated; SQLite's rules for upper and lower case apply.
  public func includes(_ table: String) -> Bool {
    switch self {
    case .all: true
    case .only(let names): names.contains { SQLName($0) == SQLName(table) }
    case .except(let names): !names.contains { SQLName($0) == SQLName(table) }
    }
  }
}

extension TableSelection {
  /// The same choice with each name once, in ascending order.
  package var ordered: TableSelection {
    func ordered(_ names: [String]) -> [String] {
      var seen: Set<SQLName> = []
      return names.filter { seen.insert(SQLName($0)).inserted }.sorted(byBytesOf: \.self)
    }
    return switch self {
    case .all: .all
    case .only(let names): .only(ordered(names))
    case .except(let names): names.isEmpty ? .all : .except(ordered(names))
    }
  }
}
