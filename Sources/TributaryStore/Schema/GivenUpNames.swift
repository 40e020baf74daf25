import TributaryCore
import TributarySQLite

/// The names of tables and columns that the migrations of this store have given up. In logs they keep their
/// old meaning, so nothing else may get them.
struct GivenUpNames {
  private let names: NameChanges
  private let path: String

  /// - Parameter declared: what the migration that is running declares.
  init(_ connection: Connection, _ declared: [NameChange]) throws {
    path = connection.path
    var names = NameChanges()
    // Other devices may have given up names that this one has not got yet.
    for migration in try Migration.applied(in: connection) {
      names.add(try migration.directives(connection.path).names)
    }
    names.add(declared)
    self.names = names
  }

  /// - Parameter declared: what migrations have declared in a database that is not a store yet.
  init(_ declared: NameChanges, path: String) {
    names = declared
    self.path = path
  }

  /// Checks that no declaration assigns a name that an earlier one has given up.
  ///
  /// - Throws: `StoreError` with the code `schemaChange`.
  func check(_ declared: [NameChange]) throws {
    var earlier = NameChanges()
    for change in names.all {
      defer { earlier.add([change]) }
      guard declared.contains(change) else { continue }
      switch change {
      case .renamedTable(_, let new) where earlier.areGivenUp(table: new):
        throw refusal("table \(new)")
      case .renamedColumn(_, let table, let new) where earlier.areGivenUp(column: new, of: table):
        throw refusal("column \(new) of table \(table)")
      default: continue
      }
    }
  }

  /// Checks the tables and columns that a transaction has made.
  ///
  /// - Throws: `StoreError` with the code `schemaChange` for a name that was given up.
  func check(_ schema: ReplicatedSchema, since before: ReplicatedSchema) throws {
    if names.isEmpty { return }
    for table in schema.tables {
      guard let former = before.table(named: table.name) else {
        if names.areGivenUp(table: SQLName(table.name)) { throw refusal("table \(table.name)") }
        continue
      }
      for column in table.shape.columns
      where former.shape.position(of: column) == nil
        && names.areGivenUp(column: SQLName(column), of: SQLName(table.name))
      {
        throw refusal("column \(column) of table \(table.name)")
      }
    }
  }

  /// Returns the tables whose names in logs have become ambiguous, because another program has used a
  /// given-up name again.
  ///
  /// - Returns: for each name that logs may use for such a table, what has the name now.
  func taken(in schema: ReplicatedSchema) -> [SQLName: String] {
    if names.isEmpty { return [:] }
    var taken: [SQLName: String] = [:]
    for table in schema.tables {
      let name = SQLName(table.name)
      var phrase: String?
      if names.areGivenUp(table: name) {
        phrase = "table \(table.name)"
      } else if let column = table.shape.columns.first(where: {
        names.areGivenUp(column: SQLName($0), of: name)
      }) {
        phrase = "column \(column) of table \(table.name)"
      }
      guard let phrase else { continue }
      for name in names.names(of: name) { taken[name] = phrase }
    }
    return taken
  }

  private func refusal(_ phrase: String) -> StoreError {
    StoreError(
      .schemaChange,
      "\(phrase) would get a name that a migration has given up, and that logs still use",
      path: path, remedy: "choose another name")
  }
}

extension NameChanges {
  fileprivate func areGivenUp(table: SQLName) -> Bool {
    all.contains { change in
      switch change {
      case .renamedTable(let old, _): old == table
      case .droppedTable(let old): old == table
      case .renamedColumn, .droppedColumn: false
      }
    }
  }

  fileprivate func areGivenUp(column: SQLName, of table: SQLName) -> Bool {
    let names = names(of: table)
    return all.contains { change in
      switch change {
      case .renamedColumn(let old, let table, _): old == column && names.contains(table)
      case .droppedColumn(let old, let table): old == column && names.contains(table)
      case .renamedTable, .droppedTable: false
      }
    }
  }
}
