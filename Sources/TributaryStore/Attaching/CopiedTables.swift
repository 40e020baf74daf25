import TributaryCore
import TributarySQLite

/// The tables of a store whose rows new devices get once.
package struct CopiedTables {
  private let settings: Settings

  package init(_ connection: Connection) { settings = Settings(connection) }

  /// Returns the tables in the order in which they were declared.
  package func all() throws -> [CopiedTable] {
    guard let text = try settings.text(.copied) else { return [] }
    guard let tables = Self.decoded(text) else {
      throw StoreError.damaged(
        "the bookkeeping does not say which rows new devices get once",
        path: settings.connection.path)
    }
    return tables
  }

  /// Replaces the recorded tables.
  package func write(_ tables: [CopiedTable]) throws {
    try settings.set(.copied, tables.isEmpty ? nil : .string(Self.encoded(tables)))
  }

  /// Returns what would be recorded for a store.
  ///
  /// - Parameters:
  ///   - names: the requested tables.
  ///   - known: the tables that are already declared, here or in the container; they stay as they are.
  package static func choose(
    _ names: [String], besides known: [CopiedTable], _ selection: TableSelection,
    _ connection: Connection, path: String, _ refusals: inout [AttachRefusal]
  ) throws -> [CopiedTable] {
    var tables = known
    let present = try SchemaReader(connection: connection).tableNames()
    for name in names where !tables.contains(where: { SQLName($0.name) == SQLName(name) }) {
      guard let table = present.first(where: { SQLName($0) == SQLName(name) }) else {
        refusals.append(
          refused(name, "there is no table \(name)", path, "name tables that exist in --copy-once"))
        continue
      }
      guard !selection.includes(table) else {
        refusals.append(
          refused(
            name, "table \(table) is shared, and new devices get its rows anyway", path,
            "leave it out with --except, or do not name it in --copy-once", [.except(table)]))
        continue
      }
      tables.append(try CopiedTable(table, in: connection))
    }
    let size = tables.reduce(0) { $0 + $1.byteCount }
    if size > CopiedTable.byteLimit, let last = tables.max(by: { $0.byteCount < $1.byteCount }) {
      refusals.append(
        refused(
          last.name,
          "the rows that new devices are to get once have more than \(CopiedTable.byteLimit) bytes, most of them "
            + "in table \(last.name)", path, "name smaller tables in --copy-once, or share that one"
        ))
    }
    return tables
  }

  private static func refused(
    _ table: String, _ message: String, _ path: String, _ remedy: String,
    _ options: [AttachOption] = []
  ) -> AttachRefusal {
    AttachRefusal(
      StoreError(.unusableTable, message, path: path, remedy: remedy), table: table,
      options: options)
  }

  private static func encoded(_ tables: [CopiedTable]) -> String {
    var json = JSONWriter()
    json.array { json in
      for table in tables {
        json.array { json in
          for texts in [[table.name], table.columns, table.rows] {
            json.array { json in for text in texts { json.string(text) } }
          }
        }
      }
    }
    return json.text
  }

  private static func decoded(_ text: String) -> [CopiedTable]? {
    guard case .array(let items)? = JSONValue(Array(text.utf8)) else { return nil }
    var tables: [CopiedTable] = []
    for item in items {
      guard case .array(let parts) = item, parts.count == 3, let name = texts(parts[0])?.first,
        let columns = texts(parts[1]), let rows = texts(parts[2])
      else { return nil }
      tables.append(CopiedTable(name: name, columns: columns, rows: rows))
    }
    return tables
  }

  private static func texts(_ value: JSONValue) -> [String]? {
    guard case .array(let items) = value else { return nil }
    var texts: [String] = []
    for item in items {
      guard case .value(.text(let bytes)) = item else { return nil }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    return texts
  }
}

extension LocalStore {
  /// Lets new devices get the rows of more tables once, as they are now.
  package func copyOnce(_ names: [String]) throws {
    try service { connection in
      try connection.immediate {
        let copied = CopiedTables(connection)
        let known = try copied.all()
        var refusals: [AttachRefusal] = []
        let tables = try CopiedTables.choose(
          names, besides: known, TableSelection(connection), connection, path: path, &refusals)
        try refusals.check()
        guard tables != known else { return }
        try copied.write(tables)
        // Other devices reread the container's description of a schema only if the schema has changed.
        try connection.execute("CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal")
      }
    }
  }
}
