import TributaryCore
import TributarySQLite

extension BaselineImage {
  /// Puts an image in the place of a store in another file, if the two differ in nothing but their rows.
  ///
  /// The schema of the image is, word for word, the one that `peer.json` or the application has made in the
  /// other file. So the image cannot make SQLite run anything that could not be run without it.
  ///
  /// - Parameters:
  ///   - path: the path of the image, which cannot be used any more if this fails.
  ///   - made: the path of a store whose replicated tables are empty.
  ///   - finish: called with a connection to the image and the facts.
  /// - Returns: whether the image is the store now; otherwise, it has not changed.
  /// - Throws: SQLite's error for a damaged image.
  package static func place(
    _ path: String, as made: String, _ selection: TableSelection,
    finish: (Connection, [String: Value]) throws -> Void
  ) throws -> Bool {
    let image = try open(path, .readWrite)
    defer { image.close() }
    guard try isAlike(image, made) else { return false }
    let facts = try readFacts(image, in: "main")
    try image.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    return try attached(made, as: "tributary_made", to: image) {
      try image.execute("BEGIN")
      let replicated = try ReplicatedSchema(image, selection: selection, merge: MergeOptions())
        .tables
      for name in try tables(image) where !replicated.contains(where: { $0.name == name }) {
        if bookkeeping.contains(where: { $0.table == name }) {
          try removeOthers(than: selection, name, image)
          continue
        }
        let table = name.quotedIdentifier
        let columns = try storedColumns(of: name, image)
        try image.execute(
          """
          DELETE FROM main.\(table);
          INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM tributary_made.\(table)
          """)
      }
      try finish(image, facts)
      try image.execute("COMMIT")
      for number in ["user_version", "application_id"] {
        let value = try image.integer("PRAGMA tributary_made.\(number)") ?? 0
        try image.execute("PRAGMA main.\(number) = \(value)")
      }
      return true
    }
  }

  /// Whether two databases have the same schema and encoding.
  private static func isAlike(_ image: Connection, _ made: String) throws -> Bool {
    let other = try Connection(path: made, mode: .readWrite)
    defer { other.close() }
    // The image does not contain what triggers write into tables that are not replicated.
    guard try encoding(image) == encoding(other), try !ImportTriggers(other).areNeeded() else {
      return false
    }
    return try schema(image) == schema(other)
  }

  /// The schema in a comparable form.
  private static func schema(_ connection: Connection) throws -> [[Value]] {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY 1, 2, 3, 4")
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// Returns the names of ordinary tables, except SQLite's own.
  private static func tables(_ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  private static func storedColumns(of table: String, _ image: Connection) throws -> String {
    let statement = try image.prepare(
      "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0")
    try statement.bind([.string(table)])
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0).quotedIdentifier) }
    return names.joined(separator: ", ")
  }

  /// Removes anything that concerns tables that are not replicated here.
  private static func removeOthers(
    than selection: TableSelection, _ table: String, _ image: Connection
  ) throws {
    for name in try concerned(by: table, in: "main", image) where !selection.includes(name) {
      try image.prepare("DELETE FROM main.\(table) WHERE \"table\" = ?").run(.string(name))
    }
  }

  /// Returns the tables that the bookkeeping rows name.
  static func concerned(
    by table: String, in schema: String, _ connection: Connection
  ) throws -> [String] {
    let statement = try connection.prepare("SELECT DISTINCT \"table\" FROM \(schema).\(table)")
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  static func readFacts(_ connection: Connection, in schema: String) throws -> [String: Value] {
    let statement = try connection.prepare("SELECT key, value FROM \(schema).\(facts)")
    var values: [String: Value] = [:]
    while try statement.step() { values[statement.string(0)] = statement.value(1) }
    return values
  }
}
