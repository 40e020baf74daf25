internal import TributaryCore

/// The statements of a write, with the effect of each on keys.
extension RandomTable {
  /// A row for an insert: the key, and values for some or all of the other columns.
  struct NewRow {
    var key: [Value]
    var values: [Value]
  }

  /// Returns `INSERT OR …` of rows that all give values for the same `columns`.
  ///
  /// - Parameter selecting: whether the rows come from a SELECT, which SQLite runs while it
  ///   inserts.
  func insert(
    _ rows: [NewRow], columns: [String], onConflict answer: ConflictAnswer, selecting: Bool = false
  ) -> RandomStatement {
    let names = model.keyColumns.map(\.name) + columns
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let source =
      selecting
      ? rows.map { _ in "SELECT \(marks)" }.joined(separator: " UNION ALL ")
      : "VALUES " + rows.map { _ in "(\(marks))" }.joined(separator: ", ")
    let verb = answer == .abort ? "INSERT" : "INSERT OR \(answer.rawValue)"
    return RandomStatement(
      "\(verb) INTO \(model.name) (\(names.joined(separator: ", "))) \(source)",
      rows.flatMap { $0.key + $0.values },
      effect: .insert(table: model.name, keys: rows.map(\.key), onConflict: answer))
  }

  /// Returns an insert that updates the given columns of an existing row, or nothing if there are
  /// none.
  func upsert(_ rows: [NewRow], columns: [String]) -> RandomStatement {
    var statement = insert(rows, columns: columns, onConflict: .abort)
    let target = model.keyColumns.map(\.name).joined(separator: ", ")
    let assignments = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    statement.sql += " ON CONFLICT (\(target)) DO "
    statement.sql += columns.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)"
    statement.effect = .insert(table: model.name, keys: rows.map(\.key), onConflict: .ignore)
    return statement
  }

  /// Returns an update of columns that are not in the key; of all rows if `keys` is `nil`.
  func update(_ columns: [String], to values: [Value], of keys: [[Value]]?) -> RandomStatement {
    let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
    return RandomStatement(
      "UPDATE \(model.name) SET \(assignments)" + (keys.map { " WHERE " + condition($0) } ?? ""),
      values + (keys ?? []).flatMap(\.self))
  }

  func delete(_ keys: [[Value]]) -> RandomStatement {
    RandomStatement(
      "DELETE FROM \(model.name) WHERE \(condition(keys))", keys.flatMap(\.self),
      effect: .delete(table: model.name, keys: keys))
  }

  func deleteAll() -> RandomStatement {
    RandomStatement("DELETE FROM \(model.name)", effect: .deleteAll(table: model.name))
  }

  /// Returns an update that gives one row another key.
  func move(from: [Value], to: [Value], onConflict answer: ConflictAnswer) -> RandomStatement {
    let assignments = model.keyColumns.map { "\($0.name) = ?" }.joined(separator: ", ")
    let verb = answer == .abort ? "UPDATE" : "UPDATE OR \(answer.rawValue)"
    return RandomStatement(
      "\(verb) \(model.name) SET \(assignments) WHERE \(condition([from]))", to + from,
      effect: .move(table: model.name, keys: [(from: from, to: to)], onConflict: answer))
  }

  /// Returns an update that adds `distance` to each key in `range`, which is shorter than
  /// `distance`.
  ///
  /// - Precondition: the key is one integer.
  func shift(
    _ range: ClosedRange<Int64>, by distance: Int64, onConflict answer: ConflictAnswer
  ) -> RandomStatement {
    precondition(hasIntegerKey && distance.magnitude > range.count && answer != .fail)
    let name = model.keyColumns[0].name
    let verb = answer == .abort ? "UPDATE" : "UPDATE OR \(answer.rawValue)"
    return RandomStatement(
      "\(verb) \(model.name) SET \(name) = \(name) + ? WHERE \(name) BETWEEN ? AND ?",
      [.integer(distance), .integer(range.lowerBound), .integer(range.upperBound)],
      effect: .move(
        table: model.name,
        keys: range.map { (from: [.integer($0)], to: [.integer($0 + distance)]) },
        onConflict: answer))
  }

  private func condition(_ keys: [[Value]]) -> String {
    let one = model.keyColumns.map { "\($0.name) = ?" }.joined(separator: " AND ")
    return keys.isEmpty ? "0" : keys.map { _ in "(\(one))" }.joined(separator: " OR ")
  }
}
