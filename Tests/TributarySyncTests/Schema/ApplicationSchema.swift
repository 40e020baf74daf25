import TributaryStore
import TributaryTesting

/// A random step of an application's schema, and what it leaves behind.
struct ApplicationSchema {
  /// The columns of each table besides its key, as they are called now.
  var tables: [(name: String, columns: [String])] = [("item", ["a", "b", "n"])]
  private(set) var migrations: [Migration] = []
  /// What an application writes before the last migration, so that its rows keep the constraint which that adds.
  private(set) var remedy: String?
  /// By table: the column that must not be NULL and has no default.
  private var required: [String: String] = [:]
  private var count = 0

  static let first = Migration(
    name: "0",
    sql:
      "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT DEFAULT 'b', n INTEGER DEFAULT 0)")

  init() { migrations = [Self.first] }

  /// Returns the schema as it is after a number of migrations.
  static func after(_ count: Int, of all: [ApplicationSchema]) -> ApplicationSchema {
    all[count - 1]
  }

  private mutating func fresh(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  /// Adds a migration, or one that adds a constraint.
  mutating func evolve(_ random: inout SeededGenerator, constrains: Bool) {
    remedy = nil
    guard constrains, Int.random(in: 0..<3, using: &random) == 0 else { return evolve(&random) }
    let place = Int.random(in: tables.indices, using: &random)
    // Of other columns, this does not know the defaults.
    guard !tables[place].columns.contains(where: { $0.hasPrefix("c") }),
      let column = tables[place].columns.filter({ $0 != "n" }).randomElement(using: &random)
    else { return }
    constrain(tables[place], column, Bool.random(using: &random))
  }

  /// Adds a migration that makes a table anew, in which a column must not be NULL or must not be '2'.
  private mutating func constrain(
    _ table: (name: String, columns: [String]), _ column: String, _ refusesNull: Bool
  ) {
    let columns = (["id"] + table.columns).joined(separator: ", ")
    let definitions = table.columns.map { name in
      let rule = name != column ? "" : refusesNull ? "NOT NULL" : "CHECK (\(name) <> '2')"
      if name == "n" { return "n INTEGER DEFAULT 0" }
      return "\(name) TEXT \(rule)" + (name == "b" ? " DEFAULT 'b'" : "")
    }
    remedy =
      "UPDATE \(table.name) SET \(column) = 'mended' WHERE \(column) "
      + (refusesNull ? "IS NULL" : "= '2'")
    if refusesNull, column == "a" { required[table.name] = column }
    let temporary = fresh("new")
    add(
      String(migrations.count),
      """
      CREATE TABLE \(temporary) (id INTEGER PRIMARY KEY, \(definitions.joined(separator: ", ")));
      INSERT INTO \(temporary) (\(columns)) SELECT \(columns) FROM \(table.name);
      DROP TABLE \(table.name); ALTER TABLE \(temporary) RENAME TO \(table.name)
      """)
  }

  /// Adds a migration.
  private mutating func evolve(_ random: inout SeededGenerator) {
    let place = Int.random(in: tables.indices, using: &random)
    let table = tables[place].name
    let texts = tables[place].columns.filter { $0 != "n" }
    let name = String(migrations.count)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      let column = fresh("c")
      tables[place].columns.append(column)
      add(name, "ALTER TABLE \(table) ADD COLUMN \(column) TEXT NOT NULL DEFAULT 'd'")
    case 1:
      let new = fresh("t")
      tables.append((new, ["a", "n"]))
      add(
        name,
        """
        CREATE TABLE \(new) (id INTEGER PRIMARY KEY, a TEXT, n INTEGER DEFAULT 0);
        INSERT INTO \(new) (a) VALUES ('seed 1'), ('seed 2')
        """)
    case 2:
      let new = fresh("t")
      tables[place].name = new
      required[new] = required.removeValue(forKey: table)
      add(name, "-- tributary: rename \(table) to \(new)\nALTER TABLE \(table) RENAME TO \(new)")
    case 3:
      guard let column = texts.randomElement(using: &random) else { break }
      let new = fresh("c")
      tables[place].columns.removeAll { $0 == column }
      tables[place].columns.append(new)
      if required[table] == column { required[table] = new }
      add(
        name,
        "-- tributary: rename \(table).\(column) to \(table).\(new)\nALTER TABLE \(table) RENAME \(column) TO \(new)"
      )
    case 4:
      guard texts.count > 1, let column = texts.randomElement(using: &random) else { break }
      tables[place].columns.removeAll { $0 == column }
      if required[table] == column { required[table] = nil }
      add(
        name, "-- tributary: drop \(table).\(column)\nALTER TABLE \(table) DROP COLUMN \(column)")
    case 5:
      let columns = (["id"] + tables[place].columns).joined(separator: ", ")
      let definitions = tables[place].columns.map { column in
        column == "n"
          ? "n INTEGER DEFAULT 0"
          // As the columns were made, or other devices would not agree.
          : column == "b" ? "b TEXT DEFAULT 'b'" : "\(column) TEXT"
      }
      guard !tables[place].columns.contains(where: { $0.hasPrefix("c") }) else { break }
      let temporary = fresh("new")
      add(
        name,
        """
        CREATE TABLE \(temporary) (id INTEGER PRIMARY KEY, \(definitions.joined(separator: ", ")));
        INSERT INTO \(temporary) (\(columns)) SELECT \(columns) FROM \(table);
        DROP TABLE \(table); ALTER TABLE \(temporary) RENAME TO \(table)
        """)
    case 6: add(name, "UPDATE \(table) SET n = n + 1")
    case 7:
      let number = Int.random(in: 100..<103, using: &random)
      add(
        name,
        required[table].map { "INSERT INTO \(table) (\($0), n) VALUES ('seed', \(number))" }
          ?? "INSERT INTO \(table) (n) VALUES (\(number))")
    default:
      guard tables.count > 1, table != "item" else { break }
      tables.remove(at: place)
      add(name, "-- tributary: drop \(table)\nDROP TABLE \(table)")
    }
  }

  private mutating func add(_ name: String, _ sql: String) {
    migrations.append(Migration(name: name, sql: sql))
  }

  /// Returns a random write for an application that knows this schema.
  func write(_ random: inout SeededGenerator) -> String {
    guard let table = tables.randomElement(using: &random) else { return "" }
    let column = table.columns.randomElement(using: &random) ?? "id"
    let id = Int.random(in: 1...6, using: &random)
    let value = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2:
      return "INSERT INTO \(table.name) (\(column)) VALUES ('\(value)')"
    case 3: return "DELETE FROM \(table.name) WHERE id = \(id)"
    default: return "UPDATE \(table.name) SET \(column) = '\(value)' WHERE id <= \(id)"
    }
  }
}
