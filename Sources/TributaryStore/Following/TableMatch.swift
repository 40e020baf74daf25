import TributaryCore
import TributarySQLite

/// A table as two devices have it: which columns could be added here, and what prevents adding others.
///
/// SQLite itself decides, in databases in memory, whether a column can be added.
struct TableMatch {
  /// The columns that exist only there and can be added here.
  private(set) var additions: [TableText.Column] = []
  /// Other differences, each as a phrase.
  private(set) var differences: [String] = []
  /// The columns that exist only here.
  private(set) var extras: [String] = []

  private let name: String

  /// Compares the statements that make a table.
  ///
  /// - Parameters:
  ///   - names: what migrations have renamed and dropped: a column under another name is not a new column.
  ///   - extensions: the available SQLite extensions.
  init(
    _ name: String, here: String, there: String, _ names: NameChanges, extensions: [String]
  ) throws {
    self.name = name
    if NormalSQL(creation: here) == NormalSQL(creation: there) { return }
    guard let own = TableText(here), let other = TableText(there) else {
      differences.append("table \(name) is another one there")
      return
    }
    extras = own.columns.map(\.name).filter { !other.names.contains(SQLName($0)) }
    let wanted = other.columns.filter { column in
      if own.names.contains(SQLName(column.name)) { return false }
      switch names.meaning(
        ofColumn: SQLName(column.name), of: SQLName(name), among: own.names.contains)
      {
      case .unknown: return true
      case .present(let present):
        differences.append(
          "column \(present) of table \(name) is called \(column.name) there")
      case .dropped:
        differences.append("column \(column.name) of table \(name) has been dropped here")
      }
      return false
    }
    let (mine, theirs): (Connection, Connection)
    do {
      mine = try Self.make(here, extensions)
      theirs = try Self.make(there, extensions)
    } catch let error as SQLiteError {
      differences.append("table \(name) cannot be made here as it is there: \(error.message)")
      return
    }
    defer {
      mine.close()
      theirs.close()
    }
    for column in wanted {
      do {
        try Self.tryAdding(column, besides: own.columns, extensions)
        try Self.add(column, to: name, in: mine)
        additions.append(column)
      } catch let error as SQLiteError {
        differences.append(
          "column \(column.name) of table \(name), which is only there, cannot be added to a table that has rows: "
            + error.message)
      }
    }
    guard additions.count == wanted.count else { return }
    // Columns that exist only here do not count, as far as they could have been added there.
    let addsExtras = own.columns.filter { !other.names.contains(SQLName($0.name)) }.allSatisfy {
      do {
        try Self.add($0, to: name, in: theirs)
        return true
      } catch {
        return false
      }
    }
    try compare(mine, theirs, own, other, isWholeThere: addsExtras)
  }

  private static func make(_ sql: String, _ extensions: [String]) throws -> Connection {
    let connection = try Connection(
      path: ":memory:", mode: .create, classifies: true, extensions: extensions)
    connection.classifier?.protectsBookkeeping = true
    try connection.prepare(sql).run()
    return connection
  }

  /// Adds a column to a table.
  private static func add(
    _ column: TableText.Column, to table: String, in connection: Connection
  ) throws {
    try connection.prepare(SchemaTaking.addition(of: column.text, to: table)).run()
  }

  /// Adds a column to a table that has one row and none of the table's constraints. A default that is not
  /// constant, for example, suits an empty table, but not the rows that older logs bring.
  private static func tryAdding(
    _ column: TableText.Column, besides columns: [TableText.Column], _ extensions: [String]
  ) throws {
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let connection = try make("CREATE TABLE t (\(names))", extensions)
    defer { connection.close() }
    // Only the rows here can tell whether they satisfy a CHECK.
    try connection.execute(
      """
      PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = ON;
      INSERT INTO t DEFAULT VALUES
      """)
    try add(column, to: "t", in: connection)
  }

  // MARK: Comparing what both have

  private mutating func compare(
    _ mine: Connection, _ theirs: Connection, _ own: TableText, _ other: TableText,
    isWholeThere: Bool
  ) throws {
    guard let here = try Self.table(in: mine), let there = try Self.table(in: theirs) else {
      differences.append("table \(name) is another one there")
      return
    }
    compareColumns(here, there, mine, theirs, own, other)
    if here.shape.keys.map({ SQLName(here.shape.columns[$0.column]) })
      != there.shape.keys.map({ SQLName(there.shape.columns[$0.column]) })
      || here.shape.keys.map(\.collation) != there.shape.keys.map(\.collation)
    {
      differences.append("table \(name) has another key there")
    }
    if own.options != other.options || here.autoincrements != there.autoincrements {
      differences.append("table \(name) is declared there with other options")
    }
    let (ours, others) = (try TableRules(here, mine), try TableRules(there, theirs))
    for rule in others.constraints.subtracting(ours.constraints).sorted() {
      differences.append("table \(name) has \(rule) only there")
    }
    if isWholeThere {
      for rule in ours.constraints.subtracting(others.constraints).sorted() {
        differences.append("table \(name) has \(rule) only here")
      }
    }
    for column in Set(ours.defaults.keys).union(others.defaults.keys).sorted()
    where other.names.contains(column) {
      if try TableRules.areSame(ours.defaults[column], others.defaults[column], theirs) { continue }
      differences.append(
        "column \(column.text) of table \(name) has the default \(others.defaults[column] ?? "NULL") there and "
          + "\(ours.defaults[column] ?? "NULL") here")
    }
  }

  private mutating func compareColumns(
    _ here: TableDescription, _ there: TableDescription, _ mine: Connection, _ theirs: Connection,
    _ own: TableText, _ other: TableText
  ) {
    let others = Dictionary(
      there.columns.map { (SQLName($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    let texts = Dictionary(
      other.columns.map { (SQLName($0.name), $0.normal) }, uniquingKeysWith: { first, _ in first })
    for column in own.columns {
      let key = SQLName(column.name)
      guard let normal = texts[key], normal != column.normal, let counterpart = others[key],
        let ours = here.columns.first(where: { SQLName($0.name) == key })
      else { continue }
      let phrase = "column \(column.name) of table \(name)"
      if ours.isGenerated || counterpart.isGenerated {
        differences.append("\(phrase) is computed otherwise there")
      } else if ours.affinity != counterpart.affinity {
        differences.append(
          "\(phrase) is \(counterpart.affinity.word) there and \(ours.affinity.word) here")
      } else if mine.collation(of: column.name, in: name).map({ SQLName($0) })
        != theirs.collation(of: column.name, in: name).map({ SQLName($0) })
      {
        differences.append("\(phrase) has another collation there")
      }
    }
  }

  private static func table(in connection: Connection) throws -> TableDescription? {
    try ReplicatedSchema(connection, selection: .all, merge: MergeOptions()).tables.first
  }
}

extension Affinity {
  /// Its name in SQL.
  fileprivate var word: String {
    switch self {
    case .integer: "INTEGER"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .real: "REAL"
    case .numeric: "NUMERIC"
    }
  }
}
