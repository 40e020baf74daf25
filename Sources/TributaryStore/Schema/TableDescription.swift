import TributaryCore
import TributaryLog
import TributarySQLite

/// A table as capture and merging see it.
package struct TableDescription: Sendable {
  package struct Column: Sendable {
    package var name: String
    package var affinity: Affinity
    /// Whether SQLite computes it; if so, it is never written and never logged.
    package var isGenerated: Bool
    /// Whether it is generated and recomputed at each reading.
    package var isVirtual: Bool
    package var isNotNull: Bool
    /// The expression of DEFAULT; `nil` means NULL.
    package var defaultExpression: String?
    /// The expression of DEFAULT if it is a number or text, which mean the same wherever they are written.
    var literalDefault: String? {
      guard let expression = defaultExpression else { return nil }
      let parts = SQLScanner(Array(expression.utf8)).tokens.filter {
        !["(", ")", "+", "-", "."].map { .symbol(UInt8(ascii: $0)) }.contains($0)
      }
      let isNumber = parts.allSatisfy { token in
        if case .word(let word) = token {
          word.utf8.first.map { (48...57).contains($0) } ?? false
        } else {
          false
        }
      }
      return !parts.isEmpty && isNumber || parts.count == 1 && parts[0].isText ? expression : nil
    }
    /// Returns the expression of DEFAULT in a form that means the same anywhere: a bare or quoted name, which
    /// is text after DEFAULT, becomes text.
    static func expression(ofDefault text: String) -> String {
      let tokens = SQLScanner(Array(text.utf8)).tokens
      guard tokens.count == 1 else { return text }
      switch tokens[0] {
      case .quoted(let name): return name.quotedLiteral
      case .word(let word):
        let isName = word.utf8.first.map { !(48...57).contains($0) } ?? false
        return isName && !valueKeywords.contains(SQLName(word)) ? word.quotedLiteral : text
      case .text, .symbol: return text
      }
    }

    /// The words that are not text after DEFAULT.
    private static let valueKeywords: Set<SQLName> = [
      "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
    ]

    /// Whether it has a default other than NULL, which the hook does not see in rows older than the column.
    package var mayDifferFromDefault: Bool

    /// Whether the default may have a different value each time (`CURRENT_TIMESTAMP`), so that no two devices
    /// would give a row the same value.
    var defaultVaries = false

    /// The value that a row has here if the log lacks the column, where it is not the default: either because
    /// the column may have neither NULL nor a default, or because the default varies. The log is older than
    /// the column, or its author has dropped it.
    package var substitute: (literal: String, value: Value)? {
      guard !isGenerated, defaultExpression == nil ? isNotNull : defaultVaries else { return nil }
      guard isNotNull else { return ("NULL", .null) }
      switch affinity {
      case .text: return ("''", .string(""))
      case .blob: return ("x''", .blob([]))
      case .real: return ("0.0", .real(0))
      case .integer, .numeric: return ("0", .integer(0))
      }
    }
  }

  package var name: String
  /// All columns in the order of declaration, including generated ones, followed by the row identifier if
  /// that is the key and no column has it.
  package var columns: [Column]
  /// The description of this table in records.
  package var shape: TableShape
  /// Whether the single key column is SQLite's row identifier.
  package var hasRowIdentifierKey: Bool
  package var isWithoutRowIdentifier: Bool
  /// The statement that makes the table. Two tables with the same statement have the same description.
  package var sql: String
  /// Whether it declares conflict clauses (`UNIQUE … ON CONFLICT REPLACE`).
  package var declaresConflicts: Bool
  /// How it is declared to merge.
  package var merge: TableMerge
  /// Which columns its CHECK constraints bind together.
  package var checkScope: CheckScope
  /// Whether its key column alone is a foreign key.
  package var isKeyReference: Bool
  /// Its foreign keys that refer to the table itself.
  package var selfReferences: [SelfReference]
  /// The policies, parallel to the columns of the shape.
  package var policies: [ColumnPolicy]
  /// Why the table cannot be replicated; `nil` if it can.
  package var refusal: Refusal?
  /// Whether all names in it are UTF-8. Otherwise, no statement may name it.
  var isSpelled = true
  /// Whether SQLite remembers its largest number and never reuses one.
  package var autoincrements = false
  /// What identifies its rows; `nil` means its PRIMARY KEY.
  package var knownBy: KnownBy?
  /// Its oldest name, by which all devices know it; `nil` if it was never renamed.
  var firstName: String?
  /// The name by which all devices identify the table in computations that must agree, whenever each of them
  /// renames it.
  package var lastingName: String { firstName ?? name }

  /// Whether equal rows that one migration inserts on several devices are the same row.
  package var identifiesMigratedRows: Bool {
    identifyingColumns.isEmpty && merge.positiveBits == nil
  }
  /// Whether its key is the row identifier, which is not one of its columns.
  package var hasHiddenKey = false
  /// The index of the UNIQUE key that identifies its rows.
  package var keyIndex: String?
  /// The columns that are declared to make its rows the same, with their collations.
  package var identifyingColumns: [TableShape.Key] = []
  /// The statements that make its indexes, if the indexes decide about its key.
  var indexes: String?

  /// The affinities of the columns of the shape, in their order.
  package var affinities: [Affinity] {
    let declared = Dictionary(
      columns.map { (SQLName($0.name), $0.affinity) }, uniquingKeysWith: { first, _ in first })
    return shape.columns.map { declared[SQLName($0)] ?? .integer }
  }

  /// The substitutes, as SQL, for columns that logs may lack, by their positions in the shape.
  package var substitutes: [(column: Int, literal: String)] {
    columns.compactMap { column in
      guard let substitute = column.substitute, let position = shape.position(of: column.name)
      else { return nil }
      return (position, substitute.literal)
    }
  }

  /// Whether any column has a policy other than that the later write wins.
  package var hasPolicies: Bool { policies.contains { !$0.takesLatest } }

  /// Whether writes of its cells never leave a conflict, because all its columns except those of the key are
  /// declared so.
  package var leavesNoConflicts: Bool {
    let keys = shape.keys.map(\.column)
    return policies.count > keys.count
      && policies.indices.allSatisfy { policies[$0] == .last || keys.contains($0) }
  }

  /// Whether each update of a row counts for all its columns, because that is declared or because a CHECK
  /// requires it.
  package var mergesByRow: Bool { mergesByRow(whenDeclared: merge.merge) }

  /// Whether it would merge by row under another declaration.
  package func mergesByRow(whenDeclared unit: TableMerge.Unit?) -> Bool {
    switch unit {
    case .row: true
    case .column: false
    case nil: checkScope != .ownColumns
    }
  }

  /// Whether a key means the same row, on whatever device it was inserted.
  package var hasNaturalKeys: Bool { merge.keys == .natural }

  /// Whether SQLite numbers its rows. A number that two devices assign at the same time then means two rows.
  package var numbersItsRows: Bool { hasRowIdentifierKey && !hasNaturalKeys && !isKeyReference }

  /// The key, as a phrase.
  package var keyPhrase: String {
    switch knownBy {
    case .unique: "the UNIQUE key by which its rows are known"
    case .rowIdentifier, .themselves: "its row identifier"
    case nil: "its primary key"
    }
  }

  /// Whether its rows identify themselves: equal rows that are inserted independently are two rows.
  package var keepsEqualRowsApart: Bool { knownBy == .themselves }

  /// The stored columns, as positions in `columns`, parallel to the columns of the shape.
  package var storedColumns: [Int] {
    guard hasHiddenKey else { return columns.indices.filter { !columns[$0].isGenerated } }
    return [columns.count - 1] + columns.indices.dropLast().filter { !columns[$0].isGenerated }
  }

  /// The expressions of DEFAULT, by column.
  package var defaults: [SQLName: String] {
    Dictionary(
      columns.compactMap { column in column.defaultExpression.map { (SQLName(column.name), $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The key columns with the collation of the key, which may differ from the column's own.
  package var keyTerms: [String] {
    shape.keys.map { key in
      let name = shape.columns[key.column].quotedIdentifier
      return hasRowIdentifierKey ? name : "\(name) COLLATE \(key.collation.sqlName)"
    }
  }

  /// The SQL condition that holds for the row whose key is bound to the parameters, in the order of the key.
  package var keyCondition: String { keyTerms.map { "\($0) = ?" }.joined(separator: " AND ") }
}
