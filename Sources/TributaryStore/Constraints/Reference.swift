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
  func values(_ row: [Value]) -> [Value]? {
    let values = childColumns.map { row[$0] }
    return values.contains(.null) ? nil : values
  }

  /// What is written down of a row that refers to these values.
  ///
  /// - Parameter position: among the references of the table.
  func subject(_ position: Int, _ values: [Value]) throws -> ClaimTable.Subject {
    ClaimTable.Subject(name: "#\(position)", bytes: try KeyProbe.bytes(values, parentCollations))
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
    let terms = zip(childColumns, parentCollations).map {
      "c.\(child.shape.columns[$0].quotedIdentifier) COLLATE \($1.sqlName) = ?"
    }
    return "\(child.selection) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Finds all rows without a parent, or with a condition only those.
  public func orphans(_ child: TableDescription, where condition: String? = nil) -> String {
    let columns = childColumns.map { "c.\(child.shape.columns[$0].quotedIdentifier)" }
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
