import TributaryCore
import TributarySQLite

/// The journal of one table and the triggers that fill it, as SQL statements that every SQLite since 3.8 can
/// run without any extension.
///
/// The journal has a row for each change, in order: what happened (`op`), the key and, as far as a value is
/// small, the former contents of the columns. It has a column `c_NAME` for each stored column, without a
/// type, so that values stay as they are. NULL in such a column means that an update has not changed the
/// column, unless the column's bit in `m0`, `m1` … is set: then the former value was NULL. If a column is not
/// NULL in the journal, the bit means that the former value was too large to be kept.
struct CaptureTriggers {
  enum Operation: Int64 {
    case insert = 1
    case update
    /// The row was deleted, or an update changed its key.
    case delete
    /// The row existed before a statement that may have replaced it, since REPLACE deletes without firing
    /// triggers.
    case found
    /// There was no row before a statement that gives a row this key.
    case absent
  }

  /// The prefix of the names of all triggers of the capture.
  static let prefix = "tributary_capture_"
  /// The prefix of the names of all journals.
  static let journalPrefix = "tributary_journal_"
  static let columnPrefix = "c_"

  /// Former values longer than this, in characters or bytes, are not kept.
  static let largestValue = 4096
  /// The number of table columns for each column of marks: all bits of a positive integer.
  static let maskWidth = 62
  /// SQLite allows 2,000 columns per table, and the journal needs a few of its own.
  static let columnLimit = 1900

  let table: TableDescription
  let uniqueKeys: [UniqueKey]

  /// Whether an update of a row may, through ON UPDATE, write rows of the table again. SQLite does that after
  /// it has written the row and before the AFTER UPDATE triggers fire.
  let updatesComeBack: Bool

  static func journal(of table: String) -> String { journalPrefix + table }

  private var journal: String { Self.journal(of: table.name).quotedIdentifier }
  private var columns: [String] { table.shape.columns }
  private var keys: [Int] { table.shape.keys.map(\.column) }
  var maskCount: Int { (columns.count + Self.maskWidth - 1) / Self.maskWidth }

  private func name(_ column: Int) -> String {
    (Self.columnPrefix + columns[column]).quotedIdentifier
  }

  /// The statement that makes the journal, as SQLite stores it.
  var journalStatement: String {
    let masks = (0..<maskCount).map { "m\($0)" }
    let parts = ["id INTEGER PRIMARY KEY", "op"] + masks + columns.indices.map(name)
    return "CREATE TABLE \(journal)(\(parts.joined(separator: ", ")))"
  }

  /// The statements that make the triggers, by name, as SQLite stores them.
  var triggerStatements: [(name: String, sql: String)] {
    var triggers = [
      trigger("insert", "AFTER INSERT", [insertion(.insert, keysOf: "NEW")]),
      trigger(
        "update", updatesComeBack ? "BEFORE UPDATE" : "AFTER UPDATE", when: "NOT (\(changesKey))",
        [update]),
      trigger(
        "rekey", "AFTER UPDATE", when: changesKey,
        [whole(.delete, of: "OLD"), insertion(.insert, keysOf: "NEW")]),
      trigger("delete", "AFTER DELETE", [whole(.delete, of: "OLD")]),
      trigger("before_insert", "BEFORE INSERT", displaced(byUpdate: false)),
    ]
    if updatesComeBack {
      triggers.append(
        trigger(
          "before_rekey", "BEFORE UPDATE", when: changesKey, [whole(.found, of: "OLD"), absence]))
    }
    let updated = displaced(byUpdate: true)
    if !updated.isEmpty { triggers.append(trigger("before_update", "BEFORE UPDATE", updated)) }
    return triggers
  }

  private func trigger(
    _ kind: String, _ event: String, when condition: String? = nil, _ body: [String]
  ) -> (name: String, sql: String) {
    let name = "\(Self.prefix)\(kind)_\(table.name)"
    return (
      name,
      "CREATE TRIGGER \(name.quotedIdentifier) \(event) ON \(table.name.quotedIdentifier)"
        + (condition.map { " WHEN \($0)" } ?? "") + " BEGIN \(body.joined(separator: "; ")); END"
    )
  }

  // MARK: What is written into the journal

  private func value(_ column: Int, of row: String) -> String {
    "\(row).\(columns[column].quotedIdentifier)"
  }

  private func insertion(_ operation: Operation, keysOf row: String) -> String {
    let names = (["op"] + keys.map(name)).joined(separator: ", ")
    let values = (["\(operation.rawValue)"] + keys.map { value($0, of: row) })
      .joined(separator: ", ")
    return "INSERT INTO \(journal)(\(names)) VALUES (\(values))"
  }

  /// Returns a statement that journals the whole row, except for large values.
  private func whole(_ operation: Operation, of row: String) -> String {
    "INSERT INTO \(journal)(\(allNames)) VALUES (\(wholeValues(operation, of: row)))"
  }

  /// The statement that journals that no row has the new key yet.
  private var absence: String {
    let name = table.name.quotedIdentifier
    let names = (["op"] + keys.map(self.name)).joined(separator: ", ")
    let values = (["\(Operation.absent.rawValue)"] + keys.map { value($0, of: "NEW") })
      .joined(separator: ", ")
    return "INSERT INTO \(journal)(\(names)) SELECT \(values) "
      + "WHERE NOT EXISTS (SELECT 1 FROM \(name) WHERE \(hasNewKey))"
  }

  /// The condition that is true for the table's row that has the key of the new row.
  private var hasNewKey: String {
    zip(table.shape.keys, table.keyTerms).map { key, term in
      "\(table.name.quotedIdentifier).\(term) = \(written(columns[key.column]))"
    }.joined(separator: " AND ")
  }

  /// Returns SQL for the value that a column of the new row will have. Where a column is NOT NULL, REPLACE
  /// writes the default instead of NULL, after the BEFORE triggers have fired.
  private func written(_ column: String) -> String {
    let value = "NEW.\(column.quotedIdentifier)"
    guard let column = table.columns.first(where: { SQLName($0.name) == SQLName(column) }),
      column.isNotNull, !column.isGenerated, let expression = column.literalDefault
    else { return value }
    return "ifnull(\(value), \(expression))"
  }

  private var allNames: String {
    (["op"] + (0..<maskCount).map { "m\($0)" } + columns.indices.map(name)).joined(separator: ", ")
  }

  private func wholeValues(_ operation: Operation, of row: String) -> String {
    let values = columns.indices.map { column in
      let value = value(column, of: row)
      guard let large = isLarge(column, of: row) else { return value }
      return "CASE WHEN \(large) THEN 1 ELSE \(value) END"
    }
    let masks = masks { isLarge($0, of: row) }
    return (["\(operation.rawValue)"] + masks + values).joined(separator: ", ")
  }

  private var update: String {
    let values = columns.indices.map { column in
      let value = value(column, of: "OLD")
      if keys.contains(column) { return value }
      let small = isLarge(column, of: "OLD").map { "CASE WHEN \($0) THEN 1 ELSE \(value) END" }
      // No SQL expression distinguishes 0.0 from -0.0, so zeros are compared when the journal is
      // read.
      let mayBeZero = [.real, .blob].contains(affinity(column)) ? " OR \(value) = 0" : ""
      return "CASE WHEN (\(differs(column))\(mayBeZero)) THEN \(small ?? value) END"
    }
    let masks = masks { column in
      if keys.contains(column) { return nil }
      let unknown =
        ["OLD.\(columns[column].quotedIdentifier) IS NULL"]
        + (isLarge(column, of: "OLD").map { [$0] } ?? [])
      return "(\(unknown.joined(separator: " OR "))) AND (\(differs(column)))"
    }
    return "INSERT INTO \(journal)(\(allNames)) VALUES ("
      + (["\(Operation.update.rawValue)"] + masks + values).joined(separator: ", ") + ")"
  }

  /// Returns SQL for each column of marks, given a condition for some of the columns.
  private func masks(_ condition: (Int) -> String?) -> [String] {
    (0..<maskCount).map { mask in
      let first = mask * Self.maskWidth
      let bits = (first..<min(first + Self.maskWidth, columns.count)).compactMap { column in
        condition(column).map { "(\($0)) << \(column - first)" }
      }
      // A comparison with NULL is NULL, and the sum would then be NULL too.
      return bits.isEmpty ? "0" : bits.map { "ifnull(\($0), 0)" }.joined(separator: " | ")
    }
  }

  /// Returns the condition that a value is large; `nil` for keys, which are always kept, and for columns that
  /// contain numbers.
  private func isLarge(_ column: Int, of row: String) -> String? {
    guard !keys.contains(column) else { return nil }
    switch affinity(column) {
    case .integer, .real, .numeric: return nil
    case .text, .blob: return "length(\(value(column, of: row))) > \(Self.largestValue)"
    }
  }

  private func affinity(_ column: Int) -> Affinity {
    table.columns.first { SQLName($0.name) == SQLName(columns[column]) }?.affinity ?? .integer
  }

  private var changesKey: String { keys.map(differs).joined(separator: " OR ") }

  /// Returns the condition that a column changes at all. Values that are stored differently differ,
  /// regardless of collations and of numeric equality.
  private func differs(_ column: Int) -> String {
    let (old, new) = (value(column, of: "OLD"), value(column, of: "NEW"))
    let plain = "\(old) COLLATE BINARY IS NOT \(new)"
    return affinity(column) == .blob ? "\(plain) OR typeof(\(old)) <> typeof(\(new))" : plain
  }

  // MARK: Rows that may be replaced

  /// Returns statements that journal the rows that have a unique key of the new row.
  private func displaced(byUpdate isUpdate: Bool) -> [String] {
    let name = table.name.quotedIdentifier
    let isOther =
      isUpdate
      ? " AND NOT (\(keys.map { "\(name).\(columns[$0].quotedIdentifier) IS \(value($0, of: "OLD"))" }.joined(separator: " AND ")))"
      : ""
    var conditions = [hasNewKey]
    // SQL for the new row: it gets the table's name, which the terms use.
    let new =
      "(SELECT \(table.columns.map { "\(written($0.name)) AS \($0.name.quotedIdentifier)" }.joined(separator: ", "))) AS \(name)"
    for key in uniqueKeys {
      let terms = zip(key.terms, key.collations).enumerated().map { position, term in
        if let columns = key.columns {
          return
            "(\(term.0)) COLLATE \(term.1.sqlName) = \(written(self.columns[columns[position]]))"
        }
        // A term may fail for a row that is not in the index.
        let value = key.condition.map { "CASE WHEN \($0) THEN \(term.0) END" } ?? term.0
        return "(\(term.0)) COLLATE \(term.1.sqlName) = (SELECT \(value) FROM \(new))"
      }
      conditions.append(
        ((key.condition.map { ["(\($0))"] } ?? []) + terms).joined(separator: " AND "))
    }
    return conditions.map { condition in
      "INSERT INTO \(journal)(\(allNames)) SELECT \(wholeValues(.found, of: name)) FROM \(name) "
        + "WHERE \(condition)\(isOther)"
    }
  }
}
