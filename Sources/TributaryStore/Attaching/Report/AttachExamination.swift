import TributaryCore
import TributarySQLite

/// An examination of a database before it becomes a store: the reasons against attaching it, and remarks on
/// it. Examining changes nothing.
package struct AttachExamination {
  /// The tables that would be replicated.
  package var schema: ReplicatedSchema
  /// How they would merge: the declarations and, where there are none, the choices made here.
  package var merge: MergeOptions
  /// The tables whose rows new devices would get once.
  package var copied: [CopiedTable] = []
  /// All reasons against attaching.
  package var refusals: [AttachRefusal] = []

  /// Examines a database.
  ///
  /// - Parameters:
  ///   - path: the user's name for the database.
  ///   - adopts: whether its rows would become the first transaction.
  ///   - comparing: returns the objections of the other devices to tables.
  /// - Throws: only if the database cannot be read.
  init(
    _ connection: Connection, _ attachment: Attachment, path: String, adopts: Bool,
    comparing: (ReplicatedSchema) throws -> [AttachRefusal]
  ) throws {
    let selection = attachment.selection
    let names = try SchemaReader(connection: connection).tableNames()
    refusals += selection.refusals(among: names, path: path)
    refusals += try SharedContents.refusals(attachment.shareContents, in: connection, path: path)
    let plain = try ReplicatedSchema(connection, selection: selection, merge: MergeOptions())
    schema = plain
    refusals += try Self.bookkeepingNames(connection, path)
    if plain.tables.contains(where: { !$0.isSpelled }) {
      merge = MergeOptions()
      refusals += plain.refusals(path: path)
      return
    }
    var inherited = attachment.inheritedMerge.restricted(to: plain)
    // If the others have no PRIMARY KEY, theirs is a different key, and the comparison says so.
    for table in plain.tables where table.knownBy == nil {
      inherited.tables[SQLName(table.name)]?.knownBy = nil
    }
    merge = attachment.merge.merging(inherited).spelled(by: plain)
    guard
      try !plain.tables.isEmpty || !attachment.shareContents.isEmpty
        || SchemaTables.areNone(in: connection)
    else {
      refusals.append(AttachRefusal(Self.nothingShared(names, path)))
      return
    }
    merge = try ChosenKeys.choose(for: plain, besides: merge, connection)
    var hasParents = false
    if merge.foreignKeys == nil {
      let found = try refusals.collect {
        guard adopts else { return false }
        return try plain.tables.contains {
          try $0.refusal == nil && DanglingRow.mismatch(of: $0.name, connection) != nil
        } || !DanglingRow.all(in: plain, limit: 1, connection).isEmpty
      }
      // If the rows could not be examined, that itself is a reason for refusal.
      hasParents = !(found ?? false)
      merge.foreignKeys = hasParents ? .enforce : .keep
    }
    schema = try ReplicatedSchema(connection, selection: selection, merge: merge)
    refusals += plain.refusals(path: path)
    let unusable = Set(plain.tables.filter { $0.refusal != nil }.map { SQLName($0.name) })
    refusals += schema.refusals(path: path).filter { !unusable.contains(SQLName($0.table ?? "")) }
    copied = try CopiedTables.choose(
      attachment.copyOnce, besides: attachment.inheritedCopies, selection, connection, path: path,
      &refusals)
    refusals += merge.refusals(against: schema, path: path)
    refusals += try Self.strayShadows(among: plain, connection, path)
    // The tables that other tables refer to may be yet to come.
    refusals += try attachment.merge.spelled(by: plain)
      .referenceRefusals(in: schema, connection, path: path)
    refusals += try comparing(schema)
    let usable = schema.tables.filter { $0.refusal == nil }
    let trial = try SchemaTrial(of: connection)
    for table in usable {
      guard let reason = try trial.reasonAgainstRows(of: table) else { continue }
      refusals.append(
        AttachRefusal(
          StoreError(
            .unusableTable, "table \(table.name) cannot be made or written here: \(reason)",
            path: path,
            remedy:
              "give the extension that has what is missing with --load-extension, or leave the table out "
              + "with --except"),
          table: table.name, options: [.except(table.name)]))
    }
    // SQLite cannot compile further checks of such rows.
    let named = Set(refusals.compactMap(\.table).map { SQLName($0) })
    let readable = usable.filter { !named.contains(SQLName($0.name)) }
    for table in readable {
      _ = try refusals.collect(table: table.name) {
        try MergeOptions.checkRows(of: table, in: connection, path: path)
      }
    }
    let adoption = Adoption(connection: connection, schema: schema, path: path)
    // Rows that join logs are identified by their keys, too.
    refusals +=
      adopts
      ? try adoption.refusals(for: readable, havingParents: hasParents)
      : try adoption.keyRefusals(for: readable.filter { !$0.keepsEqualRowsApart })
  }

  /// Returns refusals for tables that belong to a virtual table whose module is missing here; without the
  /// module, they look like ordinary tables.
  private static func strayShadows(
    among schema: ReplicatedSchema, _ connection: Connection, _ path: String
  ) throws -> [AttachRefusal] {
    let strangers = try VirtualTable.all(in: connection).filter {
      try !connection.knows(module: $0.module)
    }
    return strangers.flatMap { owner in
      schema.tables.filter { SQLName($0.name).hasPrefix(owner.name + "_") }.map { table in
        AttachRefusal(
          StoreError(
            .unusableTable,
            "table \(table.name) may have the contents of virtual table \(owner.name), whose module "
              + "\(owner.module) is not here to say so", path: path,
            remedy:
              "give the extension that has the module with --load-extension, or leave the table out with "
              + "--except"),
          table: table.name, options: [.except(table.name)])
      }
    }
  }

  /// Returns refusals for objects whose names belong to the bookkeeping, in a database that has none.
  private static func bookkeepingNames(
    _ connection: Connection, _ path: String
  ) throws -> [AttachRefusal] {
    if try Settings.exist(in: connection) { return [] }
    let statement = try connection.prepare(
      #"SELECT type, name FROM main.sqlite_schema WHERE name LIKE 'tributary\_%' ESCAPE '\'"#)
    var refusals: [AttachRefusal] = []
    while try statement.step() {
      refusals.append(
        AttachRefusal(
          StoreError(
            .unusableTable,
            "\(statement.string(0)) \(statement.string(1)) has a name that begins with tributary_, as the "
              + "bookkeeping does, which is not replicated",
            path: path,
            remedy: SQLName(statement.string(1)).hasPrefix(CaptureTriggers.prefix)
              ? "a program has removed the rest of the bookkeeping: run `tributary detach`, which removes what is left of "
                + "it, then attach again"
              : "give it another name")))
    }
    return refusals
  }

  static func nothingShared(_ names: [String], _ path: String) -> StoreError {
    names.isEmpty
      ? StoreError(
        .unusableTable,
        "nothing would be shared: the database has no tables but virtual ones, which are not replicated",
        path: path, remedy: "attach it when its program has made its tables")
      : StoreError(
        .unusableTable,
        "nothing would be shared: all tables are left out (\(names.joined(separator: ", ")))",
        path: path, remedy: "name tables to share with --tables, or fewer with --except")
  }
}
