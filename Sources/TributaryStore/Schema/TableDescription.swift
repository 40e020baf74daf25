import TributaryLog
import TributarySQLite

/// A table as capture and merge see it.
public struct TableDescription: Sendable {
  public struct Column: Sendable {
    public var name: String
    public var affinity: Affinity
    /// Computed by SQLite: never written, never logged.
    public var isGenerated: Bool
    /// Generated, and computed anew at each reading.
    public var isVirtual: Bool
    public var isNotNull: Bool
    /// The expression behind DEFAULT; `nil` stands for NULL.
    public var defaultExpression: String?
    /// Has a default other than NULL, which the hook does not see in rows older than the column.
    public var mayDifferFromDefault: Bool
  }

  public var name: String
  /// All columns in the order of declaration, generated ones among them.
  public var columns: [Column]
  /// What records of this table say of it.
  public var shape: TableShape
  /// The single key column is SQLite's row identifier.
  public var hasRowIdentifierKey: Bool
  public var isWithoutRowIdentifier: Bool
  /// The statement that makes it: two tables with the same one have the same description.
  public var sql: String
  /// Why it cannot be replicated, with the remedy; `nil` when it can.
  public var refusal: String?

  /// The columns that are stored, as positions in `columns`; parallel to the columns of the shape.
  public var storedColumns: [Int] { columns.indices.filter { !columns[$0].isGenerated } }

  /// The expressions behind DEFAULT, by column.
  public var defaults: [String: String] {
    Dictionary(
      columns.compactMap { column in column.defaultExpression.map { (column.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The key columns with the collation that the key has, which need not be the column's own.
  public var keyTerms: [String] {
    shape.keys.map { key in
      let name = shape.columns[key.column].quotedIdentifier
      return hasRowIdentifierKey ? name : "\(name) COLLATE \(key.collation.sqlName)"
    }
  }

  /// SQL that holds for the row whose key is bound to the parameters, in the order of the key.
  public var keyCondition: String { keyTerms.map { "\($0) = ?" }.joined(separator: " AND ") }
}
