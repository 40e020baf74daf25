public import TributaryCore

/// The rows that the values of a column refer to, where no foreign key says so.
///
/// The values follow a row whose number was assigned twice, as a foreign key does; nothing else is required
/// of them.
public struct DeclaredReference: Hashable, Sendable {
  /// The table that contains the rows.
  public var table: SQLName
  /// The column of that table with the numbers of the rows; `rowid` if the row identifier is the key and no
  /// column has it.
  public var column: SQLName

  /// Makes a reference to a column of a table.
  public init(_ table: String, _ column: String) {
    self.table = SQLName(table)
    self.column = SQLName(column)
  }
}

extension DeclaredReference: CustomStringConvertible {
  public var description: String { "\(table).\(column)" }
}

// MARK: In a store

extension DeclaredReference {
  private static let prefix = "refers "

  /// The reference as a rule of `tributary_merge`.
  var rule: String {
    "\(Self.prefix)\(table.text.quotedIdentifier).\(column.text.quotedIdentifier)"
  }

  /// Reads a rule of `tributary_merge`.
  init?(rule: String) {
    guard rule.hasPrefix(Self.prefix) else { return nil }
    let names = SQLScanner(Array(rule.utf8.dropFirst(Self.prefix.utf8.count))).tokens.compactMap {
      if case .quoted(let name) = $0 { name } else { nil as String? }
    }
    guard names.count == 2 else { return nil }
    self.init(names[0], names[1])
  }
}

extension TableDescription {
  /// SQLite's names for a row identifier.
  private static let rowIdentifierNames: Set<SQLName> = ["rowid", "_rowid_", "oid"]

  /// Whether the name means the row identifier and no column of the table.
  private func isRowIdentifier(_ name: SQLName) -> Bool {
    Self.rowIdentifierNames.contains(name)
      && !columns.dropLast(hasHiddenKey ? 1 : 0).contains { SQLName($0.name) == name }
  }

  /// Returns the position of a referenced name among the stored columns, or that of the row
  /// identifier.
  func place(ofReferred name: SQLName) -> Int? {
    if isRowIdentifier(name) { return hasRowIdentifierKey ? shape.keys[0].column : nil }
    return shape.columns.firstIndex { SQLName($0) == name }
  }

  /// Returns one spelling for all possible names of a column.
  fileprivate func spelling(ofReferred name: SQLName) -> SQLName {
    guard isRowIdentifier(name) else { return name }
    return knownBy == nil && hasRowIdentifierKey
      ? SQLName(shape.columns[shape.keys[0].column]) : "rowid"
  }
}

extension MergeOptions {
  /// Returns the options with names in references spelled as all devices spell them.
  func spelled(by schema: ReplicatedSchema) -> MergeOptions {
    var result = self
    for (name, merge) in tables {
      for (column, reference) in merge.references {
        guard let parent = schema.table(named: reference.table.text) else { continue }
        result.tables[name]?.references[column] = DeclaredReference(
          parent.name, parent.spelling(ofReferred: reference.column).text)
      }
    }
    return result
  }
}
