import CSQLite

extension SQLiteError {
  /// What a write has violated.
  public struct Constraint: Hashable, Sendable {
    /// The kinds of constraints.
    ///
    /// Source: https://www.sqlite.org/rescode.html#extrc
    public enum Kind: Hashable, Sendable {
      /// The constraints of SQL; `rowID` is a rowid given twice.
      case unique, primaryKey, rowID, notNull, check, foreignKey
      /// A trigger has raised an error.
      case trigger
      /// A value does not have the type of its column in a STRICT table.
      case dataType
      /// Any other constraint, as in a virtual table.
      case other
    }

    /// The kind of constraint.
    public var kind: Kind
    /// What SQLite names: columns, as in `album.title`; the name or the text of a CHECK; the message of a
    /// trigger. Empty for a foreign key.
    public var names: [String]

    /// Makes a constraint from its kind and the names of its table and columns.
    public init(kind: Kind, names: [String]) {
      self.kind = kind
      self.names = names
    }
  }

  /// The constraint that was violated; `nil` for any other error.
  public var constraint: Constraint? {
    guard primaryCode == SQLITE_CONSTRAINT else { return nil }
    let kind: Constraint.Kind =
      switch resultCode >> 8 {
      case 1: .check
      case 3: .foreignKey
      case 5: .notNull
      case 6: .primaryKey
      case 7: .trigger
      case 8: .unique
      case 10: .rowID
      case 12: .dataType
      default: .other
      }
    return Constraint(kind: kind, names: names(kind))
  }

  private func names(_ kind: Constraint.Kind) -> [String] {
    if kind == .trigger { return [message] }
    let mark = " constraint failed: "
    guard let end = message.utf8.firstRange(of: mark.utf8)?.upperBound else { return [] }
    let rest = message[end...]
    switch kind {
    case .unique, .primaryKey, .rowID, .notNull: return rest.split(separator: ", ").map(String.init)
    default: return [String(rest)]
    }
  }
}
