import TributaryCore
import TributaryLog
import TributarySQLite

/// The real rows of an image, behind what its tables show: they include held rows, and what columns refer to
/// while they show something else.
package final class BaselineRows {
  /// The shapes of the rows.
  package private(set) var shapes: [TableShape] = []
  private let image: Connection
  private var parts: [Part] = []
  /// The current part, and its statement or the number of its rows that have been read.
  private var position = 0
  private var statement: Statement?
  private var done = 0

  /// Either the visible rows of one table or its held rows.
  private struct Part {
    var query: String?
    var rows: [[Value]] = []
    /// By key, what visible rows refer to without showing it.
    var hidden: [[UInt8]: [Conflict.Cell]] = [:]
  }

  /// Opens an image, which may come from an untrusted source.
  ///
  /// - Parameter schema: the tables to read; those that the image lacks are left out.
  /// - Throws: `BaselineImage.Unfit` if it lacks the key of a table; SQLite's error for a damaged image.
  package init(_ path: String, _ schema: ReplicatedSchema) throws {
    let tables = try BaselineImage.contents(path)
    image = try BaselineImage.open(path, .readOnly)
    let held = HeldTable(image, schema: schema)
    for (number, table) in schema.tables.enumerated() where table.refusal == nil {
      guard let there = tables.first(where: { SQLName($0.name) == SQLName(table.name) }) else {
        continue
      }
      let columns = Set(there.columns.map { SQLName($0) })
      let hiddenKey = table.hasHiddenKey ? table.shape.keys[0].column : nil
      let present = table.shape.columns.indices.filter {
        $0 == hiddenKey || columns.contains(SQLName(table.shape.columns[$0]))
      }
      let keys = table.shape.keys.compactMap { key in
        present.firstIndex(of: key.column).map {
          TableShape.Key(column: $0, collation: key.collation)
        }
      }
      guard keys.count == table.shape.keys.count else {
        throw BaselineImage.Unfit("its table \(table.name) lacks a column of the key")
      }
      let names = present.map { table.shape.columns[$0] }
      let list = names.map { "r.\($0.quotedIdentifier)" }.joined(separator: ", ")
      // A row with NULL in its key was written by another program, and is not replicated.
      let conditions = keys.map { "r.\(names[$0.column].quotedIdentifier) IS NOT NULL" }
      shapes.append(TableShape(table: table.name, columns: names, keys: keys))
      parts.append(
        Part(
          query: """
            SELECT \(list) FROM main.\(table.name.quotedIdentifier) AS r
            WHERE \(conditions.joined(separator: " AND "))
            """, hidden: try held.hiddenCells(of: number)))
      let rows = try held.heldRows(of: number).values
      if !rows.isEmpty {
        shapes.append(table.shape)
        parts.append(Part(rows: Array(rows)))
      }
    }
  }

  deinit {
    statement = nil
    image.close()
  }

  /// Returns the next row, with the number of its shape; `nil` after the last one.
  package func next() throws -> (shape: Int, values: [Value])? {
    while position < parts.count {
      if let values = try nextOfPart() { return (position, values) }
      position += 1
      statement = nil
      done = 0
    }
    return nil
  }

  private func nextOfPart() throws -> [Value]? {
    let part = parts[position]
    guard let query = part.query else {
      guard done < part.rows.count else { return nil }
      done += 1
      return part.rows[done - 1]
    }
    let statement = try statement ?? image.prepare(query)
    self.statement = statement
    guard try statement.step() else { return nil }
    var values = statement.values
    if part.hidden.isEmpty { return values }
    let shape = shapes[position]
    var key = ByteBuffer()
    try RowKeyEncoder(shape: shape).encode(shape.keys.map { values[$0.column] }, into: &key)
    for cell in part.hidden[Array(key.bytes)] ?? [] {
      let name = SQLName(cell.column)
      if let column = shape.columns.firstIndex(where: { SQLName($0) == name }) {
        values[column] = cell.value
      }
    }
    return values
  }
}
