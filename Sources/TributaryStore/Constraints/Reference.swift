import TributaryCore
import TributaryLog
import TributarySQLite

/// One FOREIGN KEY of a table.
public struct Reference: Sendable {
  /// What a row shows, or whether it is shown, while its parent is not visible.
  enum Absence: Sendable {
    /// The row is held.
    case hold
    /// The columns show these values, of which none or all are NULL.
    case show([Value])
  }

  /// Positions among the tables of the schema; no parent where that table is not replicated.
  public var child: Int
  public var parent: Int?
  public var parentName: String
  /// Positions among the stored columns of the child.
  public var childColumns: [Int]
  /// Parallel to `childColumns`.
  public var parentColumns: [String]
  var parentCollations: [Collation]
  var parentAffinities: [Affinity]
  var childAffinities: [Affinity]
  /// Positions among the stored columns of the parent; `nil` where one is generated.
  public var parentPositions: [Int]?
  /// The columns are the parent's whole primary key.
  public var refersToPrimaryKey: Bool
  var absence: Absence

  /// A row may have to be held for want of a parent.
  var mayBind: Bool {
    if case .show(let values) = absence { !values.contains(.null) } else { true }
  }

  /// What a row refers to; `nil` when it refers to nothing.
  package func values(_ row: [Value]) -> [Value]? {
    let values = childColumns.map { row[$0] }
    return values.contains(.null) ? nil : values
  }

  /// What is written down of a row that refers to these values.
  ///
  /// - Parameter position: among the references of the table.
  func subject(_ position: Int, _ values: [Value]) throws -> ClaimTable.Subject {
    ClaimTable.Subject(name: "#\(position)", bytes: try bytes(values))
  }

  /// Bytes that are equal exactly when SQLite takes the values for the same parent's.
  ///
  /// - Parameter values: of a child, or of the columns of a parent that it refers to.
  func bytes(_ values: [Value]) throws(LogError) -> [UInt8] {
    let compared = zip(parentAffinities, values).map { $0.compared($1) }
    return try KeyProbe.bytes(compared, parentCollations)
  }

  /// Finds a parent.
  var parentExists: String {
    let terms = parentColumns.map { "p.\($0.quotedIdentifier) = ?" }
    return "SELECT 1 FROM main.\(parentName.quotedIdentifier) AS p "
      + "WHERE \(terms.joined(separator: " AND ")) LIMIT 1"
  }

  /// Finds the rows that are referred to.
  func parents(_ parent: TableDescription) -> String {
    let terms = parentColumns.map { "c.\($0.quotedIdentifier) = ?" }
    return "\(parent.selection) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Finds the rows that refer to given values.
  public func children(_ child: TableDescription) -> String {
    let terms = childColumns.indices.map { part -> String in
      let column = "\(term(part, child)) COLLATE \(parentCollations[part].sqlName)"
      guard parentAffinities[part].isNumeric, !childAffinities[part].isNumeric else {
        return "\(column) = ?\(part + 1)"
      }
      // A cast makes SQLite compare as numbers, and would make a number of any text.
      return """
        (\(column) = ?\(part + 1) OR \(column) = CAST(CASE WHEN typeof(?\(part + 1)) \
        IN ('integer', 'real') THEN ?\(part + 1) END AS NUMERIC))
        """
    }
    return "\(child.selection) WHERE \(terms.joined(separator: " AND "))"
  }

  /// A column of the rows `c` as SQLite compares it with the parent's: with the affinity of that one.
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

  /// Finds all rows without a parent, or with a condition only those.
  public func orphans(_ child: TableDescription, where condition: String? = nil) -> String {
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
