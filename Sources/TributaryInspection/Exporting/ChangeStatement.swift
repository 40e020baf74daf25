internal import TributaryCore
package import TributaryLog

/// A change as an SQL statement with the same effect.
///
/// An insert over a living row sets all columns; an update or delete of a missing row does nothing.
package struct ChangeStatement {
  private let declarations: MergeDeclarations?

  /// Makes statements of changes.
  ///
  /// - Parameter declarations: those of the author; without them, no column counts.
  package init(_ declarations: MergeDeclarations?) { self.declarations = declarations }

  /// Writes the statement, in one line unless values have line breaks; writes nothing for an update that sets
  /// nothing.
  ///
  /// - Throws: `LogError` for an image that does not fit the shape.
  package func append(
    _ change: ChangeView, _ shape: TableShape, to sql: inout [UInt8]
  ) throws(LogError) {
    switch change.operation {
    case .insert, .replace: try append(insert: change, shape, &sql)
    case .update: try append(update: change, shape, &sql)
    case .delete:
      var values: [ValueView] = []
      var cursor = change.values
      for _ in shape.keys { values.append(try cursor.next()) }
      append(delete: values, shape, &sql)
    }
  }

  private func append(
    insert change: ChangeView, _ shape: TableShape, _ sql: inout [UInt8]
  ) throws(LogError) {
    let values = try columns(of: change, shape)
    let key = shape.keys.map { values[$0.column] }
    // To SQLite, NULLs in a key never conflict; to the log, they are one key.
    if key.contains(where: { $0.kind == .null }) { append(delete: key, shape, &sql) }
    sql += "INSERT INTO ".utf8
    ExactLiteral.append(name: shape.table, to: &sql)
    // Otherwise, this is the name of the row that was there.
    if SQLName(shape.table) == "excluded" { sql += " AS \"written\"".utf8 }
    sql += " (".utf8
    appendList(shape.columns.indices, ", ", &sql) {
      ExactLiteral.append(name: shape.columns[$0], to: &$1)
    }
    sql += ") VALUES (".utf8
    appendList(shape.columns.indices, ", ", &sql) { ExactLiteral.append(values[$0], to: &$1) }
    sql += ") ON CONFLICT (".utf8
    appendList(shape.keys.indices, ", ", &sql) {
      ExactLiteral.append(name: shape.columns[shape.keys[$0].column], to: &$1)
    }
    sql += ") DO UPDATE SET ".utf8
    appendList(shape.columns.indices, ", ", &sql) {
      ExactLiteral.append(name: shape.columns[$0], to: &$1)
      $1 += " = excluded.".utf8
      ExactLiteral.append(name: shape.columns[$0], to: &$1)
    }
    sql += ";\n".utf8
  }

  private func append(
    update change: ChangeView, _ shape: TableShape, _ sql: inout [UInt8]
  ) throws(LogError) {
    let values = try columns(of: change, shape)
    let changed = shape.columns.indices.filter { column in
      values[column].kind != .absent && !shape.keys.contains { $0.column == column }
    }
    guard !changed.isEmpty else { return }
    sql += "UPDATE ".utf8
    ExactLiteral.append(name: shape.table, to: &sql)
    sql += " SET ".utf8
    appendList(changed, ", ", &sql) { append(values[$0], of: $0, shape, &$1) }
    appendWhere(shape.keys.map { values[$0.column] }, shape, &sql)
  }

  /// Writes the change of one column.
  private func append(
    _ value: ValueView, of column: Int, _ shape: TableShape, _ sql: inout [UInt8]
  ) {
    let name = shape.columns[column]
    ExactLiteral.append(name: name, to: &sql)
    sql += " = ".utf8
    func call(_ function: String, _ rest: (inout [UInt8]) -> Void) {
      sql += "coalesce(\(function)".utf8
      ExactLiteral.append(name: name, to: &sql)
      rest(&sql)
    }
    switch declarations?.policy(of: name, in: shape.table) {
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

  private func append(delete key: [ValueView], _ shape: TableShape, _ sql: inout [UInt8]) {
    sql += "DELETE FROM ".utf8
    ExactLiteral.append(name: shape.table, to: &sql)
    appendWhere(key, shape, &sql)
  }

  private func appendWhere(_ key: [ValueView], _ shape: TableShape, _ sql: inout [UInt8]) {
    sql += " WHERE ".utf8
    appendList(shape.keys.indices, " AND ", &sql) {
      // SQLite takes an unknown name alone, in quotes, for a text.
      ExactLiteral.append(name: shape.table, to: &$1)
      $1.append(UInt8(ascii: "."))
      ExactLiteral.append(name: shape.columns[shape.keys[$0].column], to: &$1)
      $1 += " IS ".utf8
      ExactLiteral.append(key[$0], to: &$1)
    }
    sql += ";\n".utf8
  }

  private func columns(
    of change: ChangeView, _ shape: TableShape
  ) throws(LogError) -> [ValueView] {
    var values: [ValueView] = []
    values.reserveCapacity(shape.columns.count)
    var cursor = change.values
    for _ in shape.columns { values.append(try cursor.next()) }
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
