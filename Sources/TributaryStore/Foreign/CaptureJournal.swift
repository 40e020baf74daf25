import TributaryCore
import TributarySQLite

/// What the triggers have recorded about one table, row by row.
struct CaptureJournal {
  let table: TableDescription

  /// What happened to one row since the journal was last emptied.
  struct Row {
    var key: [Value]
    /// Whether the row existed before.
    var existed: Bool
    /// Whether it was deleted or inserted in between.
    var isPut = false
    /// Whether a statement may have put NULL into its key: the row was deleted, and the next entry is the
    /// insertion of a row with NULL in its key.
    var mayHaveLostKey = false
    /// Whether its existence is known from more than updates.
    fileprivate var isSeen = false
    /// For each column, the value before everything in the journal, as far as it is known.
    fileprivate(set) var old: [Value?]
    /// For each column, whether it was changed and its former value is unknown.
    fileprivate(set) var isLost: [Bool]

    /// Returns the former row for comparison with the current one; an unknown value is replaced with a
    /// different one.
    func before(_ current: [Value]) -> [Value] {
      current.indices.map { column in
        if let value = old[column] { return value }
        guard isPut || isLost[column] else { return current[column] }
        return current[column] == .null ? .integer(0) : .null
      }
    }
  }

  /// Passes on each row in the journal, once.
  ///
  /// - Parameter columns: the columns of the table that are in the journal, as `journalColumns` returns them.
  /// - Parameter didSkip: called for each entry of a row with NULL in its key, which cannot be replicated.
  /// - Complexity: sorts the journal, with memory bounded by SQLite's sorter.
  func rows(
    _ connection: Connection, didSkip: () -> Void = {}, _ body: (Row) throws -> Void
  ) throws {
    let layout = try Layout(table, connection)
    guard layout.hasKeys else { return }
    let losses = try layout.losses(table, connection)
    let statement = try connection.prepare(layout.query(table))
    var open: (identity: [UInt8], row: Row)?
    while try statement.step() {
      let entry = try layout.entry(statement, table)
      if entry.key.contains(.null) {
        didSkip()
        continue
      }
      let hasLostKey =
        entry.operation == .delete && entry.number.map { losses.contains($0 + 1) } ?? false
      let identity = try table.identity(key: entry.key, number: 0).key
      if var known = open, known.identity == identity {
        known.row.add(entry)
        known.row.mayHaveLostKey = known.row.mayHaveLostKey || hasLostKey
        open = known
        continue
      }
      if let open { try body(open.row) }
      var row = Row(entry)
      row.mayHaveLostKey = hasLostKey
      open = (identity, row)
    }
    if let open { try body(open.row) }
  }

  /// One line of the journal.
  fileprivate struct Entry {
    var operation: CaptureTriggers.Operation
    var key: [Value]
    var values: [Value?]
    /// The marks, for each column.
    var isMarked: [Bool]
    /// Its position in the journal; `nil` where that does not matter.
    var number: Int64?
  }

  /// The positions of the columns in the journal, which may be older than the table.
  private struct Layout {
    /// For each column of the table, its position among the journal's value columns.
    private var places: [Int?]
    private var maskCount: Int
    private let keys: [Int]
    /// The journal of a table that has too many columns for that layout.
    private let wide: WideJournal?
    private let exists: Bool

    init(_ table: TableDescription, _ connection: Connection) throws {
      let statement = try connection.prepare("SELECT name FROM pragma_table_info(?, 'main')")
      try statement.bind([.string(CaptureTriggers.journal(of: table.name))])
      var names: [SQLName] = []
      while try statement.step() { names.append(SQLName(statement.string(0))) }
      let values = names.filter { $0.hasPrefix(CaptureTriggers.columnPrefix) }
      maskCount = names.count - values.count - 2
      places = table.shape.columns.map { column in
        values.firstIndex(of: SQLName(CaptureTriggers.columnPrefix + column))
      }
      keys = table.shape.keys.map(\.column)
      exists = !names.isEmpty
      wide = WideJournal.isNeeded(table) ? WideJournal(table: table) : nil
    }

    /// Whether the journal has the whole key; without it, a row cannot be found.
    var hasKeys: Bool {
      exists && !keys.isEmpty && (wide != nil || keys.allSatisfy { places[$0] != nil })
    }

    func query(_ table: TableDescription) -> String {
      if let wide { return wide.query }
      let names = table.shape.columns.indices.map { column in
        places[column] == nil
          ? "NULL" : (CaptureTriggers.columnPrefix + table.shape.columns[column]).quotedIdentifier
      }
      let order = table.shape.keys.map { key in
        "\((CaptureTriggers.columnPrefix + table.shape.columns[key.column]).quotedIdentifier) COLLATE \(key.collation.sqlName)"
      }
      let columns = ["op"] + (0..<maskCount).map { "m\($0)" } + names + ["id"]
      return """
        SELECT \(columns.joined(separator: ", ")) FROM main.\
        \(CaptureTriggers.journal(of: table.name).quotedIdentifier)
        ORDER BY \((order + ["id"]).joined(separator: ", "))
        """
    }

    func entry(_ statement: Statement, _ table: TableDescription) throws -> Entry {
      let operation = CaptureTriggers.Operation(rawValue: statement.integer(0)) ?? .found
      if let wide {
        let (key, former) = try wide.row(statement.bytes(1))
        return Entry(
          operation: operation, key: key, values: former,
          isMarked: former.map { operation == .update && $0 == .null })
      }
      let masks = (0..<maskCount).map { statement.integer($0 + 1) }
      let first = maskCount + 1
      let isMarked = places.map { place in
        place.map {
          masks[$0 / CaptureTriggers.maskWidth] >> ($0 % CaptureTriggers.maskWidth) & 1 == 1
        }
          ?? false
      }
      let values: [Value?] = places.indices.map { column in
        places[column] == nil ? nil : statement.value(first + column)
      }
      return Entry(
        operation: operation, key: keys.map { statement.value(first + $0) }, values: values,
        isMarked: isMarked, number: statement.integer(first + places.count))
    }

    /// Returns the positions of the insertions of rows with NULL in their key.
    func losses(_ table: TableDescription, _ connection: Connection) throws -> Set<Int64> {
      if wide != nil { return [] }
      let terms = keys.map {
        "\((CaptureTriggers.columnPrefix + table.shape.columns[$0]).quotedIdentifier) IS NULL"
      }
      let statement = try connection.prepare(
        "SELECT id FROM main.\(CaptureTriggers.journal(of: table.name).quotedIdentifier) "
          + "WHERE op = \(CaptureTriggers.Operation.insert.rawValue) AND (\(terms.joined(separator: " OR ")))"
      )
      var found: Set<Int64> = []
      while try statement.step() { found.insert(statement.integer(0)) }
      return found
    }
  }
}

extension CaptureJournal.Row {
  fileprivate init(_ first: CaptureJournal.Entry) {
    key = first.key
    existed = first.operation != .insert && first.operation != .absent
    old = Array(repeating: nil, count: first.values.count)
    isLost = Array(repeating: false, count: first.values.count)
    add(first)
  }

  /// Adds the next entry.
  fileprivate mutating func add(_ entry: CaptureJournal.Entry) {
    guard existed, !isPut else { return }
    switch entry.operation {
    case .insert:
      // If the row was not seen before its insertion, an update of it came from a trigger of that insertion.
      existed = isSeen
      isPut = true
    case .absent: break
    case .update:
      for column in old.indices where old[column] == nil && !isLost[column] {
        if entry.isMarked[column] {
          // The value was NULL, or too large to be kept.
          if entry.values[column] == .null { old[column] = .null } else { isLost[column] = true }
        } else if let value = entry.values[column], value != .null {
          old[column] = value
        }
      }
    case .found, .delete:
      for column in old.indices where old[column] == nil && !isLost[column] {
        if let value = entry.values[column], !entry.isMarked[column] {
          old[column] = value
        } else {
          isLost[column] = true
        }
      }
      isSeen = true
      isPut = entry.operation == .delete
    }
  }
}
