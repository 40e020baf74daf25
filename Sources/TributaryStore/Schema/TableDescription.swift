import TributaryCore
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
  /// All columns in the order of declaration, generated ones among them; behind them the row identifier
  /// where that is the key and no column.
  public var columns: [Column]
  /// What records of this table say of it.
  public var shape: TableShape
  /// The single key column is SQLite's row identifier.
  public var hasRowIdentifierKey: Bool
  public var isWithoutRowIdentifier: Bool
  /// The statement that makes it: two tables with the same one have the same description.
  public var sql: String
  /// It declares what is done about conflicts (`UNIQUE … ON CONFLICT REPLACE`).
  public var declaresConflicts: Bool
  /// What is declared of how it merges.
  public var merge: TableMerge
  /// What its CHECK constraints bind together.
  public var checkScope: CheckScope
  /// Its key column is a foreign key by itself.
  public var isKeyReference: Bool
  /// Its foreign keys to itself.
  public var selfReferences: [SelfReference]
  /// Parallel to the columns of the shape.
  public var policies: [ColumnPolicy]
  /// Why it cannot be replicated; `nil` when it can.
  public var refusal: Refusal?
  /// SQLite remembers its largest number, and gives none again.
  public var autoincrements = false
  /// By what its rows are known; `nil` is its PRIMARY KEY.
  public var knownBy: KnownBy?
  /// Its key is the row identifier, which is no column of it.
  public var hasHiddenKey = false
  /// The index behind the UNIQUE key by which its rows are known.
  public var keyIndex: String?
  /// The columns that make its rows the same, with their collations, where that is declared.
  public var identifyingColumns: [TableShape.Key] = []
  /// The statements that make its indexes, where these decide about its key.
  var indexes: String?

  /// Some column has a policy other than that the later write wins.
  public var hasPolicies: Bool { policies.contains { $0 != .latest } }

  /// Each update of a row counts for all its columns: declared, or because a CHECK needs it.
  public var mergesByRow: Bool { mergesByRow(whenDeclared: merge.merge) }

  /// The same under another declaration.
  public func mergesByRow(whenDeclared unit: TableMerge.Unit?) -> Bool {
    switch unit {
    case .row: true
    case .column: false
    case nil: checkScope != .ownColumns
    }
  }

  /// One key means one row, on whatever devices it was inserted.
  public var hasNaturalKeys: Bool { merge.keys == .natural }

  /// SQLite numbers its rows: one number that two devices give at the same time means two rows.
  public var numbersItsRows: Bool { hasRowIdentifierKey && !hasNaturalKeys && !isKeyReference }

  /// What its key is, as a phrase.
  public var keyPhrase: String {
    switch knownBy {
    case .unique: "the UNIQUE key by which its rows are known"
    case .rowIdentifier, .themselves: "its row identifier"
    case nil: "its primary key"
    }
  }

  /// Its rows are known by themselves: equal ones that are inserted apart are two.
  public var keepsEqualRowsApart: Bool { knownBy == .themselves }

  /// The columns that are stored, as positions in `columns`; parallel to the columns of the shape.
  public var storedColumns: [Int] {
    guard hasHiddenKey else { return columns.indices.filter { !columns[$0].isGenerated } }
    return [columns.count - 1] + columns.indices.dropLast().filter { !columns[$0].isGenerated }
  }

  /// The expressions behind DEFAULT, by column.
  public var defaults: [SQLName: String] {
    Dictionary(
      columns.compactMap { column in column.defaultExpression.map { (SQLName(column.name), $0) } },
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
