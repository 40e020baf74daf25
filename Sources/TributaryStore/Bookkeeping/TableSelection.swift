import TributaryCore
import TributarySQLite

/// The choice of the replicated tables of a store.
public enum TableSelection: Equatable, Sendable {
  /// Every user table, including those created later.
  case all
  case only([String])
  case except([String])

  public func includes(_ table: String) -> Bool {
    switch self {
    case .all: true
    case .only(let names): names.contains { SQLName($0) == SQLName(table) }
    case .except(let names): !names.contains { SQLName($0) == SQLName(table) }
    }
  }

  public init(_ connection: Connection) throws {
    var names: [String] = []
    let statement = try connection.cached("SELECT name FROM tributary_table ORDER BY name")
    defer { statement.reset() }
    while try statement.step() { names.append(statement.string(0)) }
    switch try Settings(connection).text(.tables) {
    case "only": self = .only(names)
    case "except": self = .except(names)
    case "all": self = .all
    default:
      throw StoreError.damaged(
        "the bookkeeping does not say which tables are replicated", path: connection.path)
    }
  }

  package func write(to connection: Connection) throws {
    let (word, names): (String, [String]) =
      switch self {
      case .all: ("all", [])
      case .only(let names): ("only", names)
      case .except(let names): ("except", names)
      }
    try Settings(connection).set(.tables, .string(word))
    try connection.execute("DELETE FROM tributary_table")
    for name in names {
      try connection.cached("INSERT OR IGNORE INTO tributary_table VALUES (?)").run(.string(name))
    }
  }
}
