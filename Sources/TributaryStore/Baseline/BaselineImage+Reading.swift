import Glibc
import TributaryCore
import TributarySQLite

extension BaselineImage {
  /// Inserts the rows of an image into the empty tables of a store, in one transaction.
  ///
  /// The image may come from an untrusted source. Only the names in its schema count.
  ///
  /// - Parameters:
  ///   - connection: a connection on which triggers and foreign keys are off.
  ///   - selection: the choice of replicated tables; tables that it leaves out are not taken from the image.
  ///   - isOnlySource: whether no log has the rows. If so, columns that the image lacks take their defaults,
  ///     as in a migration, and additional columns of the image are skipped if no row has a value in them. If
  ///     not, such an image does not fit.
  ///   - finish: called at the end of the transaction with the facts.
  /// - Returns: the rows that the store's tables do not allow because of their own values; they must be held.
  /// - Throws: `Unfit`; SQLite's error for an image that is damaged or breaks another constraint. In either
  ///   case, nothing has changed.
  package static func read(
    _ path: String, into connection: Connection, _ selection: TableSelection,
    isOnlySource: Bool, finish: ([String: Value]) throws -> Void
  ) throws -> BrokenRows {
    let schema = try ReplicatedSchema(connection, selection: selection)
    let changes = try rename(path, for: schema)
    let other = try BaselineImage.converted(path, for: connection)
    defer { if let other { unlink(other) } }
    let path = other ?? path
    let tables = try contents(path)
    for (table, columns) in bookkeeping + [(facts, ["key", "value"])] {
      guard tables.contains(where: { $0.name == table && Set(columns).isSubset(of: $0.columns) })
      else { throw Unfit("it lacks table \(table), or columns of it") }
    }
    var broken = BrokenRows()
    try attached(path, to: connection) {
      try connection.execute("PRAGMA \(name).cell_size_check = ON; BEGIN")
      for (table, columns) in tables
      where selection.includes(table) && !SQLName(table).hasPrefix("tributary_") {
        try fill(
          schema, table, columns, changes, isOnlySource: isOnlySource, connection, &broken)
      }
      for (table, columns) in bookkeeping { try fill(table, columns, selection, connection) }
      try finish(readFacts(connection, in: name))
      try connection.execute("COMMIT")
    }
    return broken
  }

  /// Returns the ordinary tables of an image with their columns, except computed ones.
  static func contents(_ path: String) throws -> [(name: String, columns: [String])] {
    let image = try open(path, .readOnly)
    defer { image.close() }
    let statement = try image.prepare(
      """
      SELECT l.name, c.name FROM pragma_table_list AS l, pragma_table_xinfo(l.name, 'main') AS c
      WHERE l.schema = 'main' AND l.type = 'table' AND c.hidden = 0
        AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name, c.cid
      """)
    var tables: [(name: String, columns: [String])] = []
    while try statement.step() {
      if tables.last?.name != statement.string(0) { tables.append((statement.string(0), [])) }
      tables[tables.count - 1].columns.append(statement.string(1))
    }
    return tables
  }

  /// Whether no row of a table of a baseline has a value in a column. Held rows and conflicts have a value
  /// for it, so there must be none. The default is not checked: it may be any expression.
  private static func isEmpty(
    _ column: String, of table: String, _ connection: Connection
  ) throws -> Bool {
    for records in ["tributary_conflict", "tributary_held"] {
      let found = try connection.integer(
        "SELECT 1 FROM \(Self.name).\(records) WHERE \"table\" = ? COLLATE NOCASE LIMIT 1",
        .string(table))
      if found != nil { return false }
    }
    return try connection.integer(
      """
      SELECT 1 FROM \(Self.name).\(table.quotedIdentifier)
      WHERE \(column.quotedIdentifier) IS NOT NULL LIMIT 1
      """) == nil
  }

  /// Fills a replicated table.
  private static func fill(
    _ schema: ReplicatedSchema, _ name: String, _ columns: [String], _ changes: NameChanges,
    isOnlySource: Bool, _ connection: Connection, _ broken: inout BrokenRows
  ) throws {
    let source = "\(Self.name).\(name.quotedIdentifier)"
    // Tables that the writer does not replicate are in the image, too, but without rows.
    guard try connection.integer("SELECT 1 FROM \(source) LIMIT 1") != nil else { return }
    guard let table = schema.table(named: name), table.refusal == nil else {
      if changes.meaning(of: name, among: schema) == .dropped { return }
      throw Unfit("there is no table \(name) here")
    }
    var names: [String] = []
    for column in columns {
      switch changes.meaning(of: column, in: name, among: table) {
      case .present: names.append(column)
      case .dropped: continue
      case .unknown:
        // A column in which no row has a value yet can be ignored: no log names it. Otherwise, the rows must
        // come from the logs.
        guard try isOnlySource && isEmpty(column, of: name, connection) else {
          throw Unfit("table \(name) has no column \(column) here")
        }
      }
    }
    if table.hasHiddenKey { names.append(table.shape.columns[table.shape.keys[0].column]) }
    var there = Set(names.map { SQLName($0) })
    let substitutes = table.substitutes.map { (table.shape.columns[$0.column], $0.literal) }
      .filter { !there.contains(SQLName($0.0)) }
    there.formUnion(substitutes.map { SQLName($0.0) })
    // Conflicts would lack this column.
    let keys = table.shape.keys.map { table.shape.columns[$0.column] }
    if let column = (isOnlySource ? keys : table.shape.columns)
      .first(where: { !there.contains(SQLName($0)) })
    {
      throw Unfit("its table \(name) has no column \(column)")
    }
    let columns = names + substitutes.map(\.0)
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let values = (names.map { "r.\($0.quotedIdentifier)" } + substitutes.map(\.1))
      .joined(separator: ", ")
    // A conflict clause here would override those in the triggers that it fires.
    let insert = "INSERT INTO main.\(table.name.quotedIdentifier) (\(list))"
    let select = "SELECT \(values) FROM \(source) AS r"
    do {
      try connection.execute("\(insert) \(select)")
    } catch {
      guard error.breaks(table), try allowsItsRows(name, as: table, connection) else {
        throw error
      }
      try broken.fill(schema, table, columns, insert, select, connection)
    }
  }

  /// Whether a table of the image has the same key as in the store, and only rows that the image's own schema
  /// allows. If so, the writer's schema lacked a constraint. Otherwise, no device has written such rows.
  private static func allowsItsRows(
    _ name: String, as table: TableDescription, _ connection: Connection
  ) throws -> Bool {
    func key(_ table: String, _ schema: String) throws -> [SQLName] {
      let statement = try connection.prepare(
        "SELECT name FROM pragma_table_xinfo(?, ?) WHERE pk > 0 ORDER BY pk")
      try statement.bind([.string(table), .string(schema)])
      var names: [SQLName] = []
      while try statement.step() { names.append(SQLName(statement.string(0))) }
      return names
    }
    guard try key(name, Self.name).count == key(table.name, "main").count else { return false }
    do {
      let check = try connection.prepare(
        "PRAGMA \(Self.name).quick_check(\(name.quotedLiteral))")
      return try check.step() && check.string(0) == "ok"
    } catch {
      // Only the application's connections know the functions that a CHECK calls.
      return false
    }
  }

  /// Fills a table of the bookkeeping with the rows that concern replicated tables.
  private static func fill(
    _ table: String, _ columns: [String], _ selection: TableSelection, _ connection: Connection
  ) throws {
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    for concerned in try concerned(by: table, in: name, connection)
    where selection.includes(concerned) {
      try connection.prepare(
        """
        INSERT OR ABORT INTO main.\(table) (\(list))
        SELECT \(list) FROM \(name).\(table) WHERE "table" = ?
        """
      ).run(.string(concerned))
    }
  }
}
