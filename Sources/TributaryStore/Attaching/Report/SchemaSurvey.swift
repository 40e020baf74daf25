import TributaryCore
import TributarySQLite

/// A survey of a database: what is not shared, what some devices cannot create, and what `tributary sql`
/// cannot write.
package struct SchemaSurvey {
  package private(set) var leftOut: [LeftOut] = []
  package private(set) var notes: [AttachNote] = []

  package init(
    _ schema: ReplicatedSchema, _ selection: TableSelection, in connection: Connection
  ) throws {
    for name in try SchemaReader(connection: connection).tableNames()
    where !selection.includes(name) {
      leftOut.append(
        LeftOut(name, .table, "it exists on every device, and its rows stay where they are"))
    }
    let triggers = ImportTriggers(connection, selection: selection)
    let virtual = try VirtualTable.all(in: connection)
    let shared = try SharedContents.all(in: connection)
    for table in virtual {
      let contents = shared.first { $0.name == table.name }
      leftOut.append(
        LeftOut(
          table.name, .virtualTable,
          "each device makes its own with the module \(table.module), and "
            + (contents.map { "its rows are shared through table \($0.table)" }
              ?? "its rows stay there")))
      for shadow in table.shadows {
        leftOut.append(LeftOut(shadow, .shadowTable, "it has the contents of \(table.name)"))
      }
    }
    for table in virtual
    where table.isFullText && !shared.contains(where: { $0.name == table.name }) {
      if let note = try Self.note(on: table, triggers, schema) { notes.append(note) }
    }
    for (name, reason) in try triggers.silent() {
      leftOut.append(LeftOut(name, .trigger, reason))
    }
    try addTrial(of: schema, in: connection)
    if try Settings.exist(in: connection) { leftOut += try UnmadeObjects(connection).leftOut() }
  }

  /// Adds what other devices cannot create, and what this library cannot write here.
  private mutating func addTrial(
    of schema: ReplicatedSchema, in connection: Connection
  ) throws {
    let trial = try SchemaTrial(of: connection)
    for (object, reason) in trial.unmade where !schema.needs(object) {
      leftOut.append(
        LeftOut(
          object.name, object.kind,
          "devices that have no more than this one cannot make it (\(reason))"))
    }
    for table in schema.tables where table.refusal == nil {
      guard try trial.reasonAgainstRows(of: table) == nil,
        let reason = trial.reasonAgainstTriggers(of: table)
      else { continue }
      notes.append(
        AttachNote(
          .warning, table: table.name,
          "`tributary sql` cannot write table \(table.name), and our library cannot: a trigger of it uses what "
            + "is not here (\(reason)); other programs can, and imports do; --load-extension takes an extension that has it"
        ))
    }
  }

  /// Returns a remark on a full-text table; `nil` if triggers maintain it on every device.
  private static func note(
    on table: VirtualTable, _ triggers: ImportTriggers, _ schema: ReplicatedSchema
  ) throws -> AttachNote? {
    if try triggers.fill(table.name) { return nil }
    let shared = table.content.flatMap { schema.table(named: $0) }
    return AttachNote(
      .suggestion, table: table.name,
      "full-text table \(table.name) (\(table.module)) is filled by its program, and what that writes into it stays "
        + "on this device; "
        + (shared.map {
          "triggers on \($0.name) that fill it would keep it right on every device (docs/merging-triggers.md), or "
            + "run INSERT INTO \(table.name)(\(table.name)) VALUES ('rebuild') where rows were imported"
        }
          ?? "to share it, attach with --share-contents \(table.name)")
    )
  }
}

extension ReplicatedSchema {
  /// Whether a replicated table depends on the object. If so, its absence is refused, not left out.
  fileprivate func needs(_ object: SchemaObject) -> Bool {
    (object.type == "table" || object.type == "index") && table(named: object.table) != nil
  }
}

extension SchemaObject {
  var kind: LeftOut.Kind {
    switch type {
    case "index": .index
    case "view": .view
    case "trigger": .trigger
    default: SQLName(sql).hasPrefix("CREATE VIRTUAL") ? .virtualTable : .table
    }
  }
}
