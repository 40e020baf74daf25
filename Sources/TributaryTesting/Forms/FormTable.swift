internal import TributaryCore
internal import TributarySQLite

/// A table of any form that SQLite knows.
package struct FormTable: Sendable {
  package let name: String
  let columns: [FormColumn]
  /// What identifies a row: positions among the columns, in the order of the key. None means the row
  /// identifier.
  let keyColumns: [Int]
  let keyCollations: [ReferenceCollation]
  /// Whether SQLite numbers the rows.
  let isNumbered: Bool
  /// Whether a UNIQUE constraint is declared besides the key.
  let hasSecondKey: Bool
  /// The name of the row identifier that no column has.
  let rowIdentifier: String?
  package let createStatements: [String]

  /// Whether all column names are different to Swift, which composes letters.
  var hasDistinctNames: Bool { Set(columns.map(\.name)).count == columns.count }

  var quoted: String { name.quotedIdentifier }

  /// The columns that are stored, the row identifier first if that is the key.
  var stored: [String] {
    (keyColumns.isEmpty ? [rowIdentifier!] : []) + columns.filter { !$0.isGenerated }.map(\.name)
  }

  /// The positions of the stored columns among all columns.
  var storedPlaces: [Int] { columns.indices.filter { !columns[$0].isGenerated } }

  /// A query for all rows: first the stored columns, then the generated ones.
  var query: String {
    let generated = columns.filter(\.isGenerated).map(\.name)
    let names = (stored + generated).map { "\(quoted).\($0.quotedIdentifier)" }
    return "SELECT \(names.joined(separator: ", ")) FROM \(quoted)"
  }

  /// The names of its key's columns, as in records.
  var keyNames: [String] {
    keyColumns.isEmpty ? [rowIdentifier!] : keyColumns.map { columns[$0].name }
  }

  /// The names of its key's columns in SQL.
  var quotedKey: [String] { keyNames.map { "\(quoted).\($0.quotedIdentifier)" } }

  /// Returns the identity of a key, however it is spelled.
  func canonical(_ key: [Value]) -> ReferenceKey {
    let collations = keyColumns.isEmpty ? [.binary] : keyCollations
    return ReferenceKey(values: zip(collations, key).map { $0.canonical($1) })
  }

  /// Returns the key of a row that `query` has read.
  func key(of row: [Value]) -> [Value] {
    if keyColumns.isEmpty { return [row[0]] }
    let places = storedPlaces
    return keyColumns.map { row[places.firstIndex(of: $0)!] }
  }

  /// Returns a row that `query` has read, without the time.
  func timeless(_ row: [Value]) -> [Value] {
    let all = storedPlaces + columns.indices.filter { columns[$0].isGenerated }
    let shift = keyColumns.isEmpty ? 1 : 0
    var row = row
    for (place, column) in all.enumerated() where columns[column].isClock {
      row[place + shift] = .null
    }
    return row
  }
}
