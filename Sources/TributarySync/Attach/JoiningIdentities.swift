import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Determines which rows of a joining database are the same as rows of the logs, where it is declared what
/// makes rows the same. From then on, they have the numbers of the logs' rows, and so does whatever refers to
/// them.
///
/// If the logs have given a row's number to another row, the row gets an unused number.
struct JoiningIdentities {
  private let original: Connection
  private let connection: Connection
  private let schema: ReplicatedSchema
  private let roots: KeyRoots
  private let mentions: LoggedKeys
  private let isComplete: Bool
  private var numbers: [SharedNumber: Int64] = [:]
  /// For each table with rows of the database, what the logs say about their numbers.
  private var logged: [Int: LoggedIdentities] = [:]

  /// Compares the rows.
  ///
  /// - Parameters:
  ///   - original: the database as it was.
  ///   - connection: the store that is being put together, with the logs imported.
  ///   - isComplete: whether everything that others have written has been imported.
  init(
    of original: Connection, in connection: Connection, _ schema: ReplicatedSchema,
    _ mentions: LoggedKeys, isComplete: Bool
  ) throws {
    self.original = original
    self.connection = connection
    self.schema = schema
    self.mentions = mentions
    self.isComplete = isComplete
    roots = KeyRoots(try ConstraintSet(connection, schema: schema))
    let tables = schema.tables.indices.filter { !schema.tables[$0].identifyingColumns.isEmpty }
    for table in tables {
      logged[table] = LoggedIdentities(schema.tables[table])
    }
    if tables.isEmpty { return }
    var meaning = try ChangeMeaning(connection)
    try mentions.forEachChange(schema) { change, shape, table, transaction in
      guard logged[table] != nil, let number = try Self.number(of: change, shape) else { return }
      try meaning.read(change, shape, by: transaction) { meant in
        try logged[table]?.follow(
          change, shape, number: number, meant: Self.number(of: meant, shape) ?? number)
      }
    }
    for table in inOrderOfReferences(tables) { try match(table) }
  }

  private static func number(of change: ChangeView, _ shape: TableShape) throws -> Int64? {
    try shape.key(change.operation, image: change.image).first?.rowNumber
  }

  /// The substitution with which to read the rows of the database; `nil` if they stay unchanged.
  var substitution: NumberSubstitution? {
    numbers.isEmpty ? nil : NumberSubstitution(roots: roots, numbers: numbers)
  }

  /// Returns the tables in the order of their references: a table comes after those to which its identifying
  /// columns refer.
  private func inOrderOfReferences(_ tables: [Int]) -> [Int] {
    var ordered: [Int] = []
    var asked: Set<Int> = []
    func visit(_ table: Int) {
      guard tables.contains(table), asked.insert(table).inserted else { return }
      for key in schema.tables[table].identifyingColumns {
        if let root = root(of: key.column, in: table) { visit(root) }
      }
      ordered.append(table)
    }
    tables.forEach(visit)
    return ordered
  }

  private func root(of column: Int, in table: Int) -> Int? {
    roots.columns[table].first { $0.column == column }?.root
  }

  // MARK: One table

  /// The rows of a table that the logs show, and the owners of the numbers.
  private struct Shown {
    /// The rows that have not been matched with a row of the database so far.
    var rows: [Int64: [Value]] = [:]
    /// The numbers of rows that are the same as a row with another number.
    var matched: Set<Int64> = []
    /// The numbers that are in use.
    var taken: Set<Int64> = []
  }

  private mutating func match(_ table: Int) throws {
    var left: [Int64: [Value]] = [:]
    try forEachRow(of: table, in: original) { left[$0] = $1 }
    var shown = Shown()
    try forEachRow(of: table, in: connection) { shown.rows[$0] = $1 }
    let held = try HeldTable(connection, schema: schema).heldRows(of: table).values
    for row in held { shown.rows[number(of: row, table)] = row }
    shown.taken = Set(left.keys).union(shown.rows.keys).union(logged[table]?.numbers ?? [])
    while !left.isEmpty {
      // Rows that refer to other rows of the same table are matched after those.
      let ready = left.filter { !refers($0.value, toOneOf: left, table) }
      let next = ready.isEmpty ? left : ready
      try match(next, &shown, table)
      for number in next.keys { left[number] = nil }
    }
  }

  /// Matches rows.
  ///
  /// - Parameter rows: the rows of the database.
  private mutating func match(
    _ rows: [Int64: [Value]], _ shown: inout Shown, _ table: Int
  ) throws {
    var rest: [(number: Int64, key: [UInt8]?)] = []
    for (number, row) in rows.sorted(by: { $0.key < $1.key }) {
      let key = try identity(substituted(row, table), table)
      if let present = shown.rows[number] {
        let isSame = try key == nil || key == identity(present, table)
        if isSame || isVersion(of: number, row, table) {
          shown.rows[number] = nil
          continue
        }
      }
      rest.append((number, key))
    }
    var byKey: [[UInt8]: [Int64]] = [:]
    for (number, row) in shown.rows.sorted(by: { $0.key > $1.key }) {
      if let key = try identity(row, table) { byKey[key, default: []].append(number) }
    }
    var unmatched: [Int64] = []
    for (number, key) in rest {
      guard let other = key.flatMap({ byKey[$0]?.popLast() }) else {
        unmatched.append(number)
        continue
      }
      shown.rows[other] = nil
      shown.matched.insert(other)
      numbers[SharedNumber(table: table, number: number)] = other
    }
    for number in unmatched {
      let row = rows[number] ?? []
      if shown.rows[number] == nil, isVersion(of: number, row, table),
        let home = logged[table]?.homes[number], shown.rows[home] != nil
      {
        shown.rows[home] = nil
        shown.matched.insert(home)
        numbers[SharedNumber(table: table, number: number)] = home
      } else if shown.matched.contains(number)
        || isComplete && isOfAnother(number, row, shown, table)
      {
        let free = Self.freeNumber(besides: shown.taken)
        shown.taken.insert(free)
        numbers[SharedNumber(table: table, number: number)] = free
      } else {
        // If logs are missing, the row is taken to be the one that the logs have under its number, as
        // elsewhere.
        shown.rows[number] = nil
      }
    }
  }

  /// Whether the logs have given the number of a row to another row.
  private func isOfAnother(
    _ number: Int64, _ row: [Value], _ shown: Shown, _ table: Int
  ) -> Bool {
    (shown.rows[number] != nil || logged[table]?.numbers.contains(number) ?? false)
      && !isVersion(of: number, row, table)
  }

  /// Whether the logs have had under that number, at some time, each of the row's identifying values.
  private func isVersion(of number: Int64, _ row: [Value], _ table: Int) -> Bool {
    logged[table]?.isVersion(of: number, row) ?? false
  }

  private func refers(
    _ row: [Value], toOneOf rows: [Int64: [Value]], _ table: Int
  ) -> Bool {
    schema.tables[table].identifyingColumns.contains { key in
      guard root(of: key.column, in: table) == table, let number = row[key.column].rowNumber
      else { return false }
      return rows[number] != nil
    }
  }

  private func substituted(_ row: [Value], _ table: Int) -> [Value] {
    substitution?.row(row, of: table) ?? row
  }

  /// Returns bytes that are equal if the identifying values are; `nil` if one of them is NULL.
  private func identity(_ row: [Value], _ table: Int) throws -> [UInt8]? {
    try schema.tables[table].identity(of: row)
  }

  private func number(of row: [Value], _ table: Int) -> Int64 {
    row[schema.tables[table].shape.keys[0].column].rowNumber ?? 0
  }

  private func forEachRow(
    of table: Int, in connection: Connection, _ body: (Int64, [Value]) -> Void
  ) throws {
    let description = schema.tables[table]
    let columns = description.shape.columns.map { "r.\($0.quotedIdentifier)" }
    let statement = try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM main.\(description.name.quotedIdentifier) AS r"
    )
    while try statement.step() {
      let row = statement.values
      body(number(of: row, table), row)
    }
  }

  /// Returns a number after all others, as SQLite would assign it.
  private static func freeNumber(besides taken: Set<Int64>) -> Int64 {
    let largest = max(0, taken.max() ?? 0)
    if largest < .max { return largest + 1 }
    var number: Int64 = 1
    while taken.contains(number) { number += 1 }
    return number
  }
}
