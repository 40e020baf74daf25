internal import TributaryCore
package import TributaryLog
internal import TributaryStore

/// A change as an SQL statement with the same effect.
///
/// An insert over a living row sets all columns; an update or delete of a missing row does nothing.
package struct ChangeStatement {
  private let declarations: MergeDeclarations?

  /// Makes statements from changes.
  ///
  /// - Parameter declarations: the declarations of the author; without them, no column has a policy.
  package init(_ declarations: MergeDeclarations?) { self.declarations = declarations }

  /// Writes the statement, in one line unless values have line breaks; writes nothing for an update that sets
  /// nothing.
  ///
  /// - Throws: `LogError` for an image that does not fit the table's shape.
  package func append(
    _ change: ChangeView, _ table: StatementTable, to sql: inout [UInt8]
  ) throws(LogError) {
    switch change.operation {
    case .insert, .replace: try append(insert: change, table, &sql)
    case .update: try append(update: change, table, &sql)
    case .delete:
      var values: [ValueView] = []
      var cursor = change.values
      for _ in table.keys { values.append(try cursor.next()) }
      append(delete: values, table, &sql)
    }
  }

  private func append(
    insert change: ChangeView, _ table: StatementTable, _ sql: inout [UInt8]
  ) throws(LogError) {
    let values = try self.columns(of: change, table)
    let columns = table.present
    let key = table.keys.map { values[$0] }
    // To SQLite, NULLs in a key never conflict; to the log, they are one key.
    if table.replacesRows || key.contains(where: { $0.kind == .null }) {
      append(delete: key, table, &sql)
    }
    sql += "INSERT INTO ".utf8
    ExactLiteral.append(name: table.name, to: &sql)
    // Otherwise, `excluded` would name the row that was already there.
    if SQLName(table.name) == "excluded" { sql += " AS \"written\"".utf8 }
    sql += " (".utf8
    appendList(columns, ", ", &sql) {
      ExactLiteral.append(name: table.column($0), to: &$1)
    }
    sql += ") VALUES (".utf8
    appendList(columns, ", ", &sql) { ExactLiteral.append(values[$0], to: &$1) }
    if table.replacesRows {
      sql += ");\n".utf8
      return
    }
    sql += ") ON CONFLICT (".utf8
    appendList(table.keys, ", ", &sql) {
      ExactLiteral.append(name: table.column($0), to: &$1)
    }
    sql += ") DO UPDATE SET ".utf8
    appendList(columns, ", ", &sql) {
      ExactLiteral.append(name: table.column($0), to: &$1)
      $1 += " = excluded.".utf8
      ExactLiteral.append(name: table.column($0), to: &$1)
    }
    sql += ";\n".utf8
  }

  private func append(
    update change: ChangeView, _ table: StatementTable, _ sql: inout [UInt8]
  ) throws(LogError) {
    let values = try columns(of: change, table)
    let changed = table.present.filter { values[$0].kind != .absent && !table.keys.contains($0) }
    guard !changed.isEmpty else { return }
    sql += "UPDATE ".utf8
    ExactLiteral.append(name: table.name, to: &sql)
    sql += " SET ".utf8
    appendList(changed, ", ", &sql) { append(values[$0], of: $0, table, &$1) }
    appendWhere(table.keys.map { values[$0] }, table, &sql)
  }

  /// Writes the change of one column.
  private func append(
    _ value: ValueView, of column: Int, _ table: StatementTable, _ sql: inout [UInt8]
  ) {
    let name = table.column(column)
    ExactLiteral.append(name: name, to: &sql)
    sql += " = ".utf8
    func call(_ function: String, _ rest: (inout [UInt8]) -> Void) {
      sql += "coalesce(\(function)".utf8
      ExactLiteral.append(name: name, to: &sql)
      rest(&sql)
    }
    switch policy(of: column, table) {
    case nil: ExactLiteral.append(value, to: &sql)
    case .counter:
      call("") { sql in
        sql += ", 0) + (".utf8
        ExactLiteral.append(value, to: &sql)
        sql += ")".utf8
      }
    case .some(let policy):
      // If an argument is NULL, so is the result of the function.
      call("\(policy.rawValue)(") { sql in
        sql += ", ".utf8
        ExactLiteral.append(value, to: &sql)
        sql += "), ".utf8
        ExactLiteral.append(name: name, to: &sql)
        sql += ", ".utf8
        ExactLiteral.append(value, to: &sql)
        sql += ")".utf8
      }
    }
  }

  /// Returns the policy of a column. The author's declarations may use the names in the log or the current
  /// names.
  private func policy(of column: Int, _ table: StatementTable) -> MergeDeclarations.Policy? {
    declarations.flatMap {
      $0.policy(of: table.shape.columns[column], in: table.shape.table)
        ?? $0.policy(of: table.column(column), in: table.name)
    }
  }

  private func append(delete key: [ValueView], _ table: StatementTable, _ sql: inout [UInt8]) {
    sql += "DELETE FROM ".utf8
    ExactLiteral.append(name: table.name, to: &sql)
    appendWhere(key, table, &sql)
  }

  private func appendWhere(_ key: [ValueView], _ table: StatementTable, _ sql: inout [UInt8]) {
    sql += " WHERE ".utf8
    appendList(table.keys.indices, " AND ", &sql) {
      // SQLite takes an unknown name that stands alone in quotes for a text.
      ExactLiteral.append(name: table.name, to: &$1)
      $1.append(UInt8(ascii: "."))
      ExactLiteral.append(name: table.column(table.keys[$0]), to: &$1)
      $1 += " IS ".utf8
      ExactLiteral.append(key[$0], to: &$1)
      if let collation = table.collations[$0] { $1 += " COLLATE \(collation.sqlName)".utf8 }
    }
    sql += ";\n".utf8
  }

  private func columns(
    of change: ChangeView, _ table: StatementTable
  ) throws(LogError) -> [ValueView] {
    var values: [ValueView] = []
    values.reserveCapacity(table.columns.count)
    var cursor = change.values
    for _ in table.columns { values.append(try cursor.next()) }
    return values
  }

  private func appendList(
    _ indices: some Sequence<Int>, _ separator: String, _ sql: inout [UInt8],
    _ append: (Int, inout [UInt8]) -> Void
  ) {
    var isFirst = true
    for index in indices {
      if !isFirst { sql += separator.utf8 }
      isFirst = false
      append(index, &sql)
    }
  }
}
