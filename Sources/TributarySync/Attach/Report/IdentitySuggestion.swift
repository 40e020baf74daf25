import TributaryCore
import TributarySQLite
import TributaryStore

/// A suggestion of what may make rows of a table that several devices insert the same: a UNIQUE key without
/// NULL, in a table whose rows are numbered.
struct IdentitySuggestion {
  var table: String
  var columns: [String]

  var note: AttachNote {
    let list = columns.joined(separator: ", ")
    return AttachNote(
      .suggestion, table: table,
      "rows of table \(table) that devices insert apart with equal \(list) are two rows, of which one is held, and "
        + "nothing says that they are one",
      options: [AttachOption("identify", "\(table)=\(columns.joined(separator: ","))")])
  }

  /// Returns suggestions in the order of the tables, with the first such key of each.
  static func all(
    in schema: ReplicatedSchema, _ connection: Connection
  ) throws -> [IdentitySuggestion] {
    try schema.tables.compactMap { table in
      guard table.refusal == nil, table.numbersItsRows, !table.keepsEqualRowsApart,
        !table.merge.hasPositiveNumbers, table.identifyingColumns.isEmpty,
        let columns = try uniqueColumns(of: table, connection)
      else { return nil }
      return IdentitySuggestion(table: table.name, columns: columns)
    }
  }

  private static func uniqueColumns(
    of table: TableDescription, _ connection: Connection
  ) throws -> [String]? {
    let stored = Set(table.columns.filter { $0.isNotNull && !$0.isGenerated }.map(\.name))
    let statement = try connection.prepare(
      """
      SELECT l.seq, i.name FROM pragma_index_list(?, 'main') AS l, pragma_index_info(l.name, 'main') AS i
      WHERE l."unique" = 1 AND l.partial = 0 AND l.origin <> 'pk' ORDER BY l.seq DESC, i.seqno
      """)
    try statement.bind([.string(table.name)])
    var keys: [(index: Int64, columns: [String])] = []
    while try statement.step() {
      if keys.last?.index != statement.integer(0) { keys.append((statement.integer(0), [])) }
      // An expression has no name and is not a column.
      keys[keys.count - 1].columns.append(statement.isNull(1) ? "" : statement.string(1))
    }
    // The command takes a list separated by commas.
    return keys.first { key in
      key.columns.allSatisfy { stored.contains($0) && !$0.contains(",") }
    }?.columns
  }
}
