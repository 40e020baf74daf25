import TributaryCore
import TributarySQLite

extension TableSelection {
  /// Reads which tables currently take part: the chosen ones that have not stopped.
  ///
  /// - Parameter changes: what the migration that is running renames.
  package init(_ connection: Connection, renaming changes: [NameChange] = []) throws {
    self = try TableSelection(declaredIn: connection, renaming: changes)
      .without(StoppedTables(connection).names())
  }

  /// Reads the choice that was made when the store was attached. It is a choice of tables, whatever
  /// migrations call them: logs and other devices know them by other names.
  init(declaredIn connection: Connection, renaming changes: [NameChange] = []) throws {
    let recorded = try TableSelection(recordedIn: connection)
    if recorded.names.isEmpty {
      self = recorded
    } else {
      var names = try NameChanges(connection)
      names.add(changes)
      self = recorded.underAllNames(names)
    }
  }

  /// Returns the same choice with all names that the tables have had and will have.
  func underAllNames(_ changes: NameChanges) -> TableSelection {
    if changes.isEmpty { return self }
    func all(_ names: [String]) -> [String] {
      names.reduce(into: Set<SQLName>()) { $0.formUnion(changes.names(of: SQLName($1))) }
        .map(\.text).sorted()
    }
    return switch self {
    case .all: .all
    case .only(let names): .only(all(names))
    case .except(let names): .except(all(names))
    }
  }

  private func without(_ stopped: [String]) -> TableSelection {
    if stopped.isEmpty { return self }
    let left = Set(stopped.map { SQLName($0) })
    return switch self {
    case .all: .except(stopped)
    case .only(let names): .only(names.filter { !left.contains(SQLName($0)) })
    case .except(let names): .except(names + stopped)
    }
  }

  /// Reads the choice as it was written.
  init(recordedIn connection: Connection) throws {
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
