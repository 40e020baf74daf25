import TributaryCore

/// A declaration that a table or a column has another name since some migration, or is gone.
///
/// It is worded as in SQL files: `rename album to record`, `rename album.label to album.publisher`,
/// `drop album`, `drop album.label`. Names with other characters stand in double quotes, as in SQL.
package enum NameChange: Hashable, Sendable {
  case renamedTable(SQLName, to: SQLName)
  case renamedColumn(SQLName, of: SQLName, to: SQLName)
  case droppedTable(SQLName)
  case droppedColumn(SQLName, of: SQLName)

  /// Reads a declaration; `nil` if the text is not one.
  package init?(_ text: String) {
    let tokens = SQLScanner(Array(text.utf8)).tokens
    var rest = tokens.dropFirst()
    guard let verb = tokens.first, let place = Self.place(&rest) else { return nil }
    if verb.isWord("drop") {
      guard rest.isEmpty else { return nil }
      self =
        place.column.map { .droppedColumn($0, of: place.table) } ?? .droppedTable(place.table)
      return
    }
    guard verb.isWord("rename"), rest.popFirst()?.isWord("to") == true,
      let target = Self.place(&rest), rest.isEmpty
    else { return nil }
    switch (place.column, target.column) {
    case (nil, nil): self = .renamedTable(place.table, to: target.table)
    case (let column?, let new?) where place.table == target.table:
      self = .renamedColumn(column, of: place.table, to: new)
    // `rename album.label to publisher` can mean nothing else.
    case (let column?, nil): self = .renamedColumn(column, of: place.table, to: target.table)
    default: return nil
    }
  }

  /// Reads the name of a table, or of a column with its table.
  private static func place(
    _ tokens: inout ArraySlice<SQLScanner.Token>
  ) -> (table: SQLName, column: SQLName?)? {
    guard let table = tokens.popFirst()?.name else { return nil }
    guard tokens.first == .symbol(UInt8(ascii: ".")) else { return (SQLName(table), nil) }
    tokens.removeFirst()
    guard let column = tokens.popFirst()?.name else { return nil }
    return (SQLName(table), SQLName(column))
  }

  /// The table or column that has the former name, as a phrase.
  var phrase: String {
    switch self {
    case .renamedTable(let table, _), .droppedTable(let table): "table \(table)"
    case .renamedColumn(let column, let table, _), .droppedColumn(let column, let table):
      "column \(column) of table \(table)"
    }
  }

  /// The table, under its former name.
  var table: SQLName {
    switch self {
    case .renamedTable(let table, _), .renamedColumn(_, let table, _), .droppedTable(let table),
      .droppedColumn(_, let table):
      table
    }
  }
}

extension NameChange: CustomStringConvertible {
  /// The declaration, with all names in quotes.
  package var description: String {
    switch self {
    case .renamedTable(let table, let new): "rename \(Self.quoted(table)) to \(Self.quoted(new))"
    case .renamedColumn(let column, let table, let new):
      "rename \(Self.quoted(table)).\(Self.quoted(column)) to \(Self.quoted(table)).\(Self.quoted(new))"
    case .droppedTable(let table): "drop \(Self.quoted(table))"
    case .droppedColumn(let column, let table):
      "drop \(Self.quoted(table)).\(Self.quoted(column))"
    }
  }

  private static func quoted(_ name: SQLName) -> String { name.text.quotedIdentifier }
}
