import TributaryCore
import TributarySQLite

/// Adopts what a schema from elsewhere adds, within the open transaction of a connection that applies rows as
/// they are. This writes no row that a log would have to name.
package struct SchemaTaking {
  private let connection: Connection
  private let source: SchemaSource

  /// What has been made, each as a phrase.
  package private(set) var made: [String] = []
  /// What was left out and why; each as a phrase.
  package private(set) var left: [String] = []

  private var statements: [String] = []
  private var newTables: Set<SQLName> = []
  private var unmade: [String] = []

  /// Adopts everything that is additive.
  ///
  /// - Throws: any error that makes the store unusable, such as a full disk. The caller then rolls back.
  package init(_ source: SchemaSource, into connection: Connection) throws {
    self.source = source
    self.connection = connection
    let before = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let former = try ReplicatedSchema.statements(connection)
    let comparison = try SchemaComparison(source, to: connection)
    left = comparison.differences.filter { !$0.isAdditive }.map(\.text)
    for table in comparison.tables {
      if try make(table.sql, SchemaComparison.phrase(table)) == nil {
        newTables.insert(SQLName(table.name))
      }
    }
    for addition in comparison.columns {
      _ = try make(
        Self.addition(of: addition.column.text, to: addition.table),
        "column \(addition.column.name) of table \(addition.table)")
    }
    for object in comparison.others { try makeOther(object) }
    guard !made.isEmpty || !unmade.isEmpty else { return }
    try settle(before)
    try SchemaChangeTime.keep(
      since: former, now: ReplicatedSchema.statements(connection), in: connection)
  }

  /// Returns the statement that adds a column.
  static func addition(of column: String, to table: String) -> String {
    "ALTER TABLE main.\(table.quotedIdentifier) ADD COLUMN \(column)"
  }

  /// Runs a statement that makes something.
  ///
  /// - Returns: why it cannot be made, in which case nothing has changed.
  private mutating func make(
    _ sql: String, _ phrase: String, noting: Bool = true
  ) throws -> SQLiteError? {
    do {
      try connection.prepare(sql).run()
    } catch {
      guard error.isOfStatement || error.isConstraintViolation else { throw error }
      if noting { left.append("\(phrase): \(Self.reason(error))") }
      return error
    }
    statements.append(sql)
    made.append(phrase)
    return nil
  }

  private static func reason(_ error: SQLiteError) -> String {
    error.isConstraintViolation ? "rows here break it (\(error.message))" : error.message
  }

  private mutating func makeOther(_ object: SchemaObject) throws {
    let phrase = SchemaComparison.phrase(object)
    let missing = Set(unmade.compactMap { SchemaObject(sql: $0).map { SQLName($0.name) } })
    if object.type == "trigger", object.mentions(missing) {
      unmade.append(object.sql)
      return
    }
    let failure = try make(object.sql, phrase, noting: !object.isVirtual)
    // An extension that is loaded later may provide what is missing.
    if object.isVirtual, let failure {
      unmade.append(object.sql)
      left.append("\(phrase): \(failure.message)")
    } else if object.isVirtual {
      try fill(object.name)
    }
  }

  /// Fills an index over the rows of another table that already exist.
  private mutating func fill(_ name: String) throws {
    guard
      let table = try VirtualTable.all(in: connection).first(where: {
        SQLName($0.name) == SQLName(name)
      }
      ), table.isFullText, let content = table.content, !content.isEmpty
    else { return }
    let quoted = name.quotedIdentifier
    do {
      try connection.execute("INSERT INTO main.\(quoted)(\(quoted)) VALUES ('rebuild')")
    } catch {
      guard error.isOfStatement else { throw error }
      left.append("the contents of virtual table \(name): \(error.message)")
    }
  }

  // MARK: What belongs to it

  private mutating func settle(_ before: ReplicatedSchema) throws {
    try declare()
    try leaveOut()
    if !unmade.isEmpty {
      let known = UnmadeObjects(connection)
      try known.write(known.statements() + unmade)
    }
    let selection = try TableSelection(connection)
    for table in source.copies
    where newTables.contains(SQLName(table.name)) && !selection.includes(table.name) {
      try table.fill(connection)
    }
    let schema = try ChosenKeys.settle(selection, in: connection)
    for table in schema.tables {
      let known = Set(before.table(named: table.name)?.columns.map { SQLName($0.name) } ?? [])
      if !known.isEmpty { try StoredDefaults.complete(table, except: known, in: connection) }
    }
    if left.isEmpty, unmade.isEmpty { try followNumbers() }
    try FollowedSchema(connection).add(statements)
    // This comes last, since it records the version of the schema.
    try ForeignCapture(connection).settle(schema)
    (connection.observer as? OwnCommits)?.didChangeCapture()
  }

  /// Adopts the declarations of how the new tables merge.
  private func declare() throws {
    var options = source.merge
    options.foreignKeys = nil
    options.tables = options.tables.filter { newTables.contains($0.key) && !$0.value.isEmpty }
    guard !options.tables.isEmpty else { return }
    try options.merging(MergeOptions(connection)).write(to: connection)
  }

  /// Leaves out the new tables that are not shared there, unless this store itself declares which tables it
  /// shares.
  private func leaveOut() throws {
    let declared = try TableSelection(declaredIn: connection)
    let names = newTables.filter { !source.replicated.contains($0) && declared.includes($0.text) }
      .map(\.text).sorted()
    if names.isEmpty { return }
    switch try TableSelection(recordedIn: connection) {
    case .all: try TableSelection.except(names).write(to: connection)
    case .except(let others): try TableSelection.except(others + names).write(to: connection)
    case .only: break
    }
  }

  /// Adopts the application's numbers once the schema is here as a whole. The version never goes back, and an
  /// application ID that is already set never changes.
  private func followNumbers() throws {
    let (here, there) = (try connection.headerNumbers(), source.numbers)
    if there.userVersion > here.userVersion {
      try connection.execute("PRAGMA main.user_version = \(there.userVersion)")
    }
    if here.applicationID == 0, there.applicationID != 0 {
      try connection.execute("PRAGMA main.application_id = \(there.applicationID)")
    }
  }
}
