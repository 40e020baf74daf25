import TributaryCore
import TributaryLog
import TributarySQLite

/// The replicated tables of a store at one moment.
package struct ReplicatedSchema: Sendable {
  /// The tables, in the order of creation.
  package var tables: [TableDescription]

  /// The schema name of transactions written now: 16 hexadecimal digits that are equal exactly when the
  /// replicated tables have equal columns and keys.
  package var name: String

  /// The names that tables and columns have had.
  package private(set) var names = NameChanges()
  /// The transactions with rows of migrations that run once, as far as the store has them.
  package private(set) var written = WrittenMigrations()

  /// Whether rows without a visible parent are hidden.
  package var enforcesForeignKeys: Bool

  /// Statements that change nothing but SQLite's number of the schema: other connections reread the tables
  /// only if that has changed.
  package static let renewal = "CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal"

  /// Reads the tables. Tables whose definitions have not changed since the connection last read them are not
  /// read again.
  ///
  /// - Parameter merge: how tables merge; `nil` means what the store has recorded.
  package init(
    _ connection: Connection, selection: TableSelection, merge: MergeOptions? = nil
  ) throws {
    var options = MergeOptions()
    if let merge {
      options = merge
      names = try NameChanges(connection)
      written = try WrittenMigrations(connection)
    } else {
      var (names, written) = (NameChanges(), WrittenMigrations())
      try options.read(connection) { key, text in
        if key == .names { try names.read(text, connection.path) }
        if key == .migrated { written.add(lines: Settings.lines(text)) }
      }
      self.names = names
      self.written = written
    }
    enforcesForeignKeys = options.foreignKeys != .keep
    let reader = SchemaReader(connection: connection)
    var known = connection.cache[[SQLName: TableDescription].self] ?? [:]
    tables = try reader.definitions().filter { selection.includes($0.name) }.map { definition in
      let (name, sql) = (definition.name, definition.sql)
      let merge = options[name]
      if let table = known[SQLName(name)], definition.refusal == nil,
        table.sql.utf8.elementsEqual(sql.utf8),
        table.merge == merge,
        try table.indexes == nil || table.indexes == reader.indexes(of: name)
      {
        return table
      }
      let table = try reader.table(definition, merge: merge)
      known[SQLName(name)] = table
      return table
    }
    connection.cache[[SQLName: TableDescription].self] = known
    if !names.isEmpty {
      for index in tables.indices {
        tables[index].firstName = names.origin(ofTable: tables[index].name)
      }
    }
    var hash = SegmentHash()
    for table in tables.sorted(byBytesOf: \.name) where table.refusal == nil {
      try table.shape.encoded().withUnsafeBytes { hash.update($0) }
    }
    name = hash.finish().lowerHex
  }

  /// Returns the table with that name, ignoring case.
  package func table(named name: String) -> TableDescription? {
    tables.first { SQLName($0.name) == SQLName(name) }
  }

  /// Returns the position among `tables` of the table with that name, ignoring case.
  package func tableNumber(named name: String) -> Int? {
    let name = SQLName(name)
    return tables.firstIndex { SQLName($0.name) == name }
  }

  /// Whether the table of a shape, or a column of it, is missing here.
  func isGone(from shape: TableShape) -> Bool {
    table(named: shape.table) == nil || firstGoneColumn(from: shape) != nil
  }

  /// Returns the first column of a shape that its table lacks here; `nil` if there is none, or no such table.
  func firstGoneColumn(from shape: TableShape) -> String? {
    guard let table = table(named: shape.table) else { return nil }
    let names = Set(table.shape.columns.map { SQLName($0) })
    return shape.columns.first { !names.contains(SQLName($0)) }
  }

  /// Returns the first part of a shape in a log that is missing here and that no migration has renamed or
  /// dropped: the table, or its first missing column. The result is the declaration that would drop it.
  func firstGone(from shape: TableShape, _ names: NameChanges) -> NameChange? {
    guard isGone(from: shape) else { return nil }
    guard case .present(let name) = names.meaning(of: shape.table, among: self),
      let table = table(named: name)
    else {
      return names.meaning(of: shape.table, among: self) == .dropped
        ? nil : .droppedTable(SQLName(shape.table))
    }
    return shape.columns.first {
      names.meaning(of: $0, in: shape.table, among: table) == .unknown
    }.map { .droppedColumn(SQLName($0), of: SQLName(shape.table)) }
  }

  /// Whether the rows of a table are identified by other columns here than in a log.
  func hasAnotherKey(than shape: TableShape, _ names: NameChanges) -> Bool {
    guard case .present(let name) = names.meaning(of: shape.table, among: self),
      let table = table(named: name)
    else { return false }
    let keys = shape.keys.map { key -> TableShape.Key? in
      guard
        case .present(let column) = names.meaning(
          of: shape.columns[key.column], in: shape.table, among: table),
        let position = table.shape.position(of: column)
      else { return nil }
      return TableShape.Key(column: position, collation: key.collation)
    }
    return keys != table.shape.keys
  }

  /// Checks that all tables can be replicated.
  ///
  /// - Throws: for the first table that cannot.
  package func checkUsable(path: String) throws {
    if let refusal = refusals(path: path).first { throw refusal.cause }
  }

  /// Returns refusals of the tables that cannot be replicated.
  func refusals(path: String) -> [AttachRefusal] {
    tables.compactMap { table in
      table.refusal.map { refusal in
        AttachRefusal(
          StoreError(.unusableTable, refusal.message, path: path, remedy: refusal.remedy),
          table: table.name, options: [.except(table.name)])
      }
    }
  }

  /// Returns the statements that recreate the schema of a database, in the order of their first creation:
  /// tables, replicated or not, indexes, views, triggers and virtual tables. They exclude anything that needs
  /// a collation of an application, which no other device could create, and include what only this device
  /// could not create.
  package static func statements(_ connection: Connection) throws -> [String] {
    try shared(connection).statements
  }

  /// Returns the same statements, together with the tables whose rows new devices get once.
  package static func shared(
    _ connection: Connection
  ) throws -> (statements: [String], copied: [CopiedTable]) {
    try SchemaObject.shared(in: connection)
  }
}
