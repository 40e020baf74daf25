import TributaryCore
import TributaryLog
import TributarySQLite

/// The key of a table that declares no PRIMARY KEY.
struct RowKeyChoice {
  var knownBy: KnownBy
  /// The positions of its columns in the table; empty if the key is the row identifier.
  var columns: [Int] = []
  var collations: [Collation] = []
  /// The index of a UNIQUE key.
  var index: String?
  /// The SQL name of the row identifier, if that is the key.
  var rowIdentifier: String?
  /// Why there is no such key.
  var refusal: Refusal?

  /// Chooses the key.
  ///
  /// - Parameter chosen: the recorded choice; `nil` means the choice for a table without rows.
  init(
    table: String, columns: [TableDescription.Column], chosen: KnownBy?, _ connection: Connection
  ) throws {
    let candidates =
      chosen?.word == nil ? try UniqueCandidate.all(of: table, columns, connection) : []
    knownBy =
      chosen ?? UniqueCandidate.inOrderOfChoice(candidates).first.map { .unique($0.names) }
      ?? .themselves
    switch knownBy {
    case .unique(let names):
      guard let key = candidates.first(where: { Set($0.names) == Set(names) }) else {
        refusal = Refusal(
          "table \(table) has no PRIMARY KEY, and \(knownBy), by which its rows are known, is missing",
          remedy: "create that key again")
        return
      }
      index = key.index
      for name in names {
        guard let place = key.names.firstIndex(of: name) else { continue }
        self.columns.append(key.columns[place])
        collations.append(key.collations[place])
      }
    case .rowIdentifier, .themselves:
      // Each of these names means the row identifier unless a column has it.
      let taken = Set(columns.map { SQLName($0.name) })
      rowIdentifier = ["_rowid_", "rowid", "oid"].first { !taken.contains(SQLName($0)) }
      if rowIdentifier == nil {
        refusal = Refusal(
          "table \(table) has no PRIMARY KEY, and columns with all the names of its row identifier",
          remedy: "declare a PRIMARY KEY or a UNIQUE key, or leave the table out with --except")
      }
    }
  }

  /// The row identifier as a column.
  var column: TableDescription.Column? {
    rowIdentifier.map {
      TableDescription.Column(
        name: $0, affinity: .integer, isGenerated: false, isVirtual: false, isNotNull: false,
        defaultExpression: nil, mayDifferFromDefault: false)
    }
  }
}

/// A UNIQUE key that could identify the rows of a table.
struct UniqueCandidate {
  var index: String
  /// The positions of its columns in the table.
  var columns: [Int]
  var names: [SQLName]
  var collations: [Collation]
  /// Whether none of its columns can be NULL.
  var isNotNull: Bool

  /// Returns the candidates in the order of declaration: those that cover all rows, consist of stored columns
  /// only, and use SQLite's own collations.
  static func all(
    of table: String, _ columns: [TableDescription.Column], _ connection: Connection
  ) throws -> [UniqueCandidate] {
    let statement = try connection.prepare(
      """
      SELECT l.name, x.cid, x.coll
      FROM pragma_index_list(?1, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x
      JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = l.name
      WHERE l."unique" AND l.origin <> 'pk' AND NOT l.partial AND x.key ORDER BY s.rowid, x.seqno
      """)
    try statement.bind([.string(table)])
    var candidates: [UniqueCandidate] = []
    var unusable: Set<String> = []
    while try statement.step() {
      let index = statement.string(0)
      let column = Int(statement.integer(1))
      guard columns.indices.contains(column), !columns[column].isGenerated,
        let collation = Collation(sqlName: statement.string(2))
      else {
        unusable.insert(index)
        continue
      }
      if candidates.last?.index != index {
        candidates.append(
          UniqueCandidate(index: index, columns: [], names: [], collations: [], isNotNull: true))
      }
      let last = candidates.count - 1
      candidates[last].columns.append(column)
      candidates[last].names.append(SQLName(columns[column].name))
      candidates[last].collations.append(collation)
      if !columns[column].isNotNull { candidates[last].isNotNull = false }
    }
    return candidates.filter { !unusable.contains($0.index) }
  }

  /// Returns the candidates, starting with those whose columns cannot be NULL.
  static func inOrderOfChoice(_ candidates: [UniqueCandidate]) -> [UniqueCandidate] {
    candidates.filter(\.isNotNull) + candidates.filter { !$0.isNotNull }
  }

  /// Whether a row of the table has NULL in the key.
  func isNull(in table: String, _ connection: Connection) throws -> Bool {
    if isNotNull { return false }
    let name = table.quotedIdentifier
    let condition = names.map { "\(name).\($0.text.quotedIdentifier) IS NULL" }
      .joined(separator: " OR ")
    return try connection.integer("SELECT 1 FROM main.\(name) WHERE \(condition) LIMIT 1") != nil
  }
}
