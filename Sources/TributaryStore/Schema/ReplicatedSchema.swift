import TributaryCore
import TributaryLog
import TributarySQLite

/// The replicated tables of a store at one moment.
public struct ReplicatedSchema: Sendable {
  /// In the order of creation.
  public var tables: [TableDescription]

  /// What transactions written now are written under: 16 hexadecimal digits that are equal exactly
  /// when the replicated tables have equal columns and keys.
  public var name: String

  /// No row whose parent is not visible is shown.
  public var enforcesForeignKeys: Bool

  /// Tables whose definitions have not changed since the connection read them are not read again.
  ///
  /// - Parameter merge: how tables merge; `nil` is what the store has written down.
  public init(
    _ connection: Connection, selection: TableSelection, merge: MergeOptions? = nil
  ) throws {
    let options = try merge ?? MergeOptions(connection)
    enforcesForeignKeys = options.foreignKeys != .keep
    let reader = SchemaReader(connection: connection)
    let note = ObjectIdentifier(TableDescription.self)
    var known = connection.notes[note] as? [SQLName: TableDescription] ?? [:]
    tables = try reader.definitions().filter { selection.includes($0.name) }.map { name, sql in
      let merge = options[name]
      if let table = known[SQLName(name)], table.sql.utf8.elementsEqual(sql.utf8),
        table.merge == merge,
        try table.indexes == nil || table.indexes == reader.indexes(of: name)
      {
        return table
      }
      let table = try reader.table(name, sql: sql, merge: merge)
      known[SQLName(name)] = table
      return table
    }
    connection.notes[note] = known
    var hash = SegmentHash()
    for table in tables.sorted(byBytesOf: \.name) where table.refusal == nil {
      try table.shape.encoded().withUnsafeBytes { hash.update($0) }
    }
    name = hash.finish().lowerHex
  }

  /// The table of that name, whatever the case of its letters.
  public func table(named name: String) -> TableDescription? {
    tables.first { SQLName($0.name) == SQLName(name) }
  }

  /// What of a shape is not here, as a phrase: the table, or its first such column.
  func firstGone(from shape: TableShape) -> String? {
    guard let table = table(named: shape.table) else { return "table \(shape.table)" }
    let names = Set(table.shape.columns.map { SQLName($0) })
    return shape.columns.first { !names.contains(SQLName($0)) }
      .map { "column \($0) of table \(shape.table)" }
  }

  /// - Throws: for the first table that cannot be replicated.
  public func checkUsable(path: String) throws {
    if let refusal = refusals(path: path).first { throw refusal.cause }
  }

  /// The tables that cannot be replicated.
  func refusals(path: String) -> [AttachRefusal] {
    tables.compactMap { table in
      table.refusal.map { refusal in
        AttachRefusal(
          StoreError(.unusableTable, refusal.message, path: path, remedy: refusal.remedy),
          table: table.name, options: [.except(table.name)])
      }
    }
  }

  /// The statements that make the schema of a database anew, in the order of their first creation:
  /// tables, replicated or not, indexes, views, triggers and virtual tables. Without what needs a collation
  /// that only some application brings: nobody else could make it. With what this device could not make and
  /// others can.
  public static func statements(_ connection: Connection) throws -> [String] {
    try shared(connection).statements
  }

  /// The same, with the tables whose rows new devices get once.
  public static func shared(
    _ connection: Connection
  ) throws -> (statements: [String], copied: [CopiedTable]) {
    try SchemaObject.shared(in: connection)
  }
}
