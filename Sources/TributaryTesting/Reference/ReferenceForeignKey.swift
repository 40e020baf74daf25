internal import TributaryCore

/// A foreign key: its columns, what they refer to, and what happens to a row without its parent.
package struct ReferenceForeignKey: Sendable {
  package enum Action: String, Sendable, CaseIterable {
    case noAction = "NO ACTION"
    case restrict = "RESTRICT"
    case cascade = "CASCADE"
    case setNull = "SET NULL"
    case setDefault = "SET DEFAULT"
  }

  package var columns: [String]
  package var parent: String
  /// In the order of `columns`, with the collations by which SQLite compares: the parent's.
  package var parentColumns: [ReferenceKeyColumn]
  package var onDelete: Action

  /// Whether it is enforced; otherwise, it only determines which columns follow rows that get other
  /// numbers.
  package var isEnforced: Bool

  package init(
    _ columns: [String], to parent: String, _ parentColumns: [ReferenceKeyColumn],
    onDelete: Action = .noAction, isEnforced: Bool = true
  ) {
    self.isEnforced = isEnforced
    precondition(!columns.isEmpty && columns.count == parentColumns.count)
    self.columns = columns
    self.parent = parent
    self.parentColumns = parentColumns
    self.onDelete = onDelete
  }

  /// Returns what a row refers to, in the canonical spelling; `nil` if a column is NULL.
  func target(_ row: ReferenceContents.Row) -> [Value]? { canonical(columns.map { row[$0]! }) }

  /// Returns the values with which children refer to a row of the parent table.
  func name(ofParent row: ReferenceContents.Row) -> [Value]? {
    canonical(parentColumns.map { row[$0.name]! })
  }

  private func canonical(_ values: [Value]) -> [Value]? {
    values.contains(.null)
      ? nil
      : zip(parentColumns, values).map { $0.collation.canonical($0.affinity.compared($1)) }
  }
}
