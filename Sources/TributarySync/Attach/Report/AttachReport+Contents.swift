import TributaryCore
import TributarySQLite
import TributaryStore

extension AttachReport {
  /// Adds the remarks about a database, whether it is a store already or will become one.
  ///
  /// Any further source of remarks creates notes in the same way as those below.
  ///
  /// - Parameter way: how it becomes a store.
  mutating func describe(
    _ schema: ReplicatedSchema, _ selection: TableSelection, in connection: Connection,
    _ way: AttachProspect.Way
  ) throws {
    tables = try schema.tables.filter { $0.refusal == nil }
      .map { try AttachedTable($0, connection) }
    keys = schema.chosenKeys
    let survey = try SchemaSurvey(schema, selection, in: connection)
    leftOut = survey.leftOut
    notes += DeclarationNotes(schema).notes
    notes += KeyNotes(schema).notes
    notes += schema.tables.filter { $0.refusal == nil && !ForeignCapture.hasTriggers($0) }.map {
      AttachNote(
        .chosen, table: $0.name,
        "\($0.name) has too many columns for triggers: what other programs write into it is found by comparing it "
          + "with the logs")
    }
    if try Settings.exist(in: connection) { note(try CopiedTables(connection).all()) }
    notes += try ReferenceSuggestion.all(in: schema, connection).map(\.note)
    // If there are other devices, they have already decided this.
    if way == .adopting || way == .creating {
      notes += try IdentitySuggestion.all(in: schema, connection).map(\.note)
    }
    notes += try ForeignKeyNotes(schema, connection).notes
    notes += try AbsentParentNotes(schema, connection).notes
    notes += survey.notes
  }

  /// Adds the tables whose rows new devices get once.
  mutating func note(_ copied: [CopiedTable]) {
    notes += copied.map {
      AttachNote(
        .declared, table: $0.name,
        "new devices get the rows of \($0.name) once: \($0.rows.count == 1 ? "1 row" : "\($0.rows.count) rows")"
      )
    }
  }

  /// Counts the rows of each table.
  mutating func countRows(in connection: Connection) throws {
    for index in tables.indices {
      tables[index].rows = Int(
        try connection.integer(
          "SELECT count(*) FROM main.\(tables[index].name.quotedIdentifier)") ?? 0)
    }
  }
}
