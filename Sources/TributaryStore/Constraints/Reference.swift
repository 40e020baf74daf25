import TributaryCore
import TributaryLog
import TributarySQLite

/// One FOREIGN KEY of a table.
package struct Reference: Sendable {
  /// What a row shows while its parent is not visible, or that it is not shown at all.
  enum Absence: Sendable {
    /// The row is held.
    case hold
    /// The columns show these values, of which none or all are NULL.
    case show([Value])
  }

  /// The positions among the tables of the schema; there is no parent if its table is not replicated.
  package var child: Int
  package var parent: Int?
  package var parentName: String
  /// Positions among the stored columns of the child.
  package var childColumns: [Int]
  /// Parallel to `childColumns`.
  package var parentColumns: [String]
  var parentCollations: [Collation]
  var parentAffinities: [Affinity]
  var childAffinities: [Affinity]
  /// Positions among the stored columns of the parent; `nil` if one is generated.
  package var parentPositions: [Int]?
  /// Whether the columns are the parent's whole primary key.
  package var refersToPrimaryKey: Bool
  var absence: Absence

  /// Whether a row may have to be held because its parent is missing.
  var mayBind: Bool {
    if case .show(let values) = absence { !values.contains(.null) } else { true }
  }

  /// Returns what a row refers to; `nil` if it refers to nothing.
  package func values(_ row: [Value]) -> [Value]? {
    let values = childColumns.map { row[$0] }
    return values.contains(.null) ? nil : values
  }

  /// Returns the subject under which a row that refers to these values is recorded.
  ///
  /// - Parameter position: the position among the references of the table.
  func subject(_ position: Int, _ values: [Value]) throws -> ClaimTable.Subject {
    ClaimTable.Subject(name: "#\(position)", bytes: try bytes(values))
  }

  /// Returns bytes that are equal exactly when SQLite considers the values equal to the same parent's values.
  ///
  /// - Parameter values: the values of a child, or of the parent's columns to which the child refers.
  func bytes(_ values: [Value]) throws(LogError) -> [UInt8] {
    let compared = zip(parentAffinities, values).map { $0.compared($1) }
    return try KeyProbe.bytes(compared, parentCollations)
  }

  /// The query that finds a parent.
  var parentExists: String {
    let terms = parentColumns.map { "p.\($0.quotedIdentifier) = ?" }
    return "SELECT 1 FROM main.\(parentName.quotedIdentifier) AS p "
      + "WHERE \(terms.joined(separator: " AND ")) LIMIT 1"
  }

  /// Returns the query that finds the referenced rows.
  func parents(_ parent: TableDescription) -> String {
    let terms = parentColumns.map { "c.\($0.quotedIdentifier) = ?" }
    return "\(parent.selection) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Returns the query that finds the rows that refer to given values.
  package func children(_ child: TableDescription) -> String {
    let terms = childColumns.indices.map { part -> String in
      let column = "\(term(part, child)) COLLATE \(parentCollations[part].sqlName)"
      guard parentAffinities[part].isNumeric, !childAffinities[part].isNumeric else {
        return "\(column) = ?\(part + 1)"
      }
      // A cast makes SQLite compare numerically, but would convert any text to a number.
      return """
        (\(column) = ?\(part + 1) OR \(column) = CAST(CASE WHEN typeof(?\(part + 1)) \
        IN ('integer', 'real') THEN ?\(part + 1) END AS NUMERIC))
        """
    }
    return "\(child.selection) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Returns a column of the rows `c` in the form in which SQLite compares it with the parent's column: with
  /// the parent's affinity.
  private func term(_ part: Int, _ child: TableDescription) -> String {
    let column = "c.\(child.shape.columns[childColumns[part]].quotedIdentifier)"
    switch (parentAffinities[part], childAffinities[part]) {
    case (.text, .integer), (.text, .real), (.text, .numeric), (.text, .blob):
      return "(CASE WHEN typeof(\(column)) IN ('integer', 'real') THEN CAST(\(column) AS TEXT) "
        + "ELSE \(column) END)"
    case (.blob, .integer), (.blob, .real), (.blob, .numeric), (.blob, .text): return "(+\(column))"
    default: return column
    }
  }

  /// Returns the query that finds all rows without a parent or, with a condition, only those for which it
  /// holds.
  package func orphans(_ child: TableDescription, where condition: String? = nil) -> String {
    let columns = childColumns.indices.map { term($0, child) }
    let present = columns.map { "\($0) IS NOT NULL" }
    let equal = zip(parentColumns, columns).map { "p.\($0.quotedIdentifier) = \($1)" }
    return """
      \(child.selection) WHERE \((present + (condition.map { [$0] } ?? [])).joined(separator: " AND "))
      AND NOT EXISTS (SELECT 1 FROM main.\(parentName.quotedIdentifier) AS p \
      WHERE \(equal.joined(separator: " AND ")))
      """
  }
}

extension TableDescription {
  /// All stored columns of the rows `c`.
  var selection: String {
    let columns = shape.columns.map { "c.\($0.quotedIdentifier)" }
    return "SELECT \(columns.joined(separator: ", ")) FROM main.\(name.quotedIdentifier) AS c"
  }
}
