import TributaryCore
import TributaryLog
import TributarySQLite

/// Compares the schema of another device with the local one: finds what only adds something and could be
/// adopted, and what differs otherwise.
package struct SchemaComparison {
  /// A column that a table lacks here.
  struct Addition {
    var table: String
    var column: TableText.Column
  }

  /// The tables that are missing here, except virtual ones.
  private(set) var tables: [SchemaObject] = []
  private(set) var columns: [Addition] = []
  /// The indexes, views, triggers and virtual tables that are missing here.
  private(set) var others: [SchemaObject] = []
  /// What exists there and not here, or is different; additive differences come first, in the order of
  /// creation.
  package private(set) var differences: [SchemaDifference] = []
  /// What exists only here.
  package private(set) var extras: [SchemaDifference] = []

  private let extensions: [String]
  private let names: NameChanges

  /// Whether nothing could be adopted.
  package var isEmpty: Bool { tables.isEmpty && columns.isEmpty && others.isEmpty }

  /// Whether everything that differs could be adopted.
  package var isAdditive: Bool { differences.allSatisfy(\.isAdditive) }

  /// The tables and columns that are missing here; each as a phrase, with its table.
  package var missing: [(table: String, phrase: String)] {
    tables.map { ($0.name, "table \($0.name)") }
      + columns.map { ($0.table, "column \($0.column.name) of table \($0.table)") }
  }

  package init(_ source: SchemaSource, to connection: Connection) throws {
    extensions = connection.extensions
    names = try NameChanges(connection)
    let here = try SchemaObject.all(in: connection)
    let known = Dictionary(
      here.map { (Self.name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let translated = try TranslatedSchema(
      source.statements, tables: known.filter { $0.value.type == "table" && !$0.value.isVirtual },
      names, extensions: extensions)
    let trial = try ForeignSchemaTrial(translated.statements, extensions: extensions)
    var refused = translated.differences
    for (sql, verdict) in zip(translated.statements, trial.verdicts) {
      guard case .makes(let object) = verdict else {
        if case .refused(let reason) = verdict {
          refused.append(SchemaDifference(table: nil, reason, isAdditive: false))
        }
        continue
      }
      if let present = known[Self.name(object)] {
        try compare(object, present, &refused)
      } else if let difference = renaming(object, known) {
        refused.append(difference)
      } else if object.type == "table", !object.isVirtual {
        guard TableText(sql) != nil else {
          refused.append(
            SchemaDifference(
              table: object.name,
              "table \(object.name) is made there in another way than by its columns",
              isAdditive: false))
          continue
        }
        tables.append(object)
        note(object)
      } else {
        others.append(object)
        note(object)
      }
    }
    differences += refused
    let there = Set(translated.statements.compactMap { SchemaObject(sql: $0).map(Self.name) })
    for object in here where object.type == "table" && !there.contains(Self.name(object)) {
      extras.append(
        SchemaDifference(
          table: object.name, "\(Self.phrase(object)) is only here", isAdditive: true))
    }
  }

  /// Returns the phrase for a table that has another name here, or was dropped here; `nil` for a new table.
  private func renaming(
    _ object: SchemaObject, _ known: [SQLName: SchemaObject]
  ) -> SchemaDifference? {
    guard object.type == "table" else { return nil }
    switch names.meaning(
      ofTable: SQLName(object.name), among: { known[$0]?.type == "table" })
    {
    case .unknown: return nil
    case .present(let name):
      return SchemaDifference(
        table: name, "table \(name) is called \(object.name) there", isAdditive: false)
    case .dropped:
      return SchemaDifference(
        table: nil, "table \(object.name) has been dropped here", isAdditive: false)
    }
  }

  /// Whether adopting it gives the store whatever a shape has and the tables here lack.
  package func supplies(_ shape: TableShape, to schema: ReplicatedSchema) -> Bool {
    guard case .present(let present) = names.meaning(of: shape.table, among: schema),
      let table = schema.table(named: present)
    else { return tables.contains { SQLName($0.name) == SQLName(shape.table) } }
    let missing = shape.columns.map { SQLName($0) }.filter {
      names.meaning(of: $0.text, in: shape.table, among: table) == .unknown
    }
    return !missing.isEmpty
      && missing.allSatisfy { column in
        columns.contains {
          SQLName($0.table) == SQLName(table.name) && SQLName($0.column.name) == column
        }
      }
  }

  private mutating func compare(
    _ object: SchemaObject, _ present: SchemaObject, _ refused: inout [SchemaDifference]
  ) throws {
    if NormalSQL(creation: object.sql) == NormalSQL(creation: present.sql) { return }
    guard object.type == "table", present.type == "table", !object.isVirtual, !present.isVirtual
    else {
      refused.append(
        SchemaDifference(
          table: present.table, "\(Self.phrase(object)) is another one there", isAdditive: false))
      return
    }
    let match = try TableMatch(
      present.name, here: present.sql, there: object.sql, names, extensions: extensions)
    extras += match.extras.map {
      SchemaDifference(
        table: present.name, "column \($0) of table \(present.name) is only here", isAdditive: true)
    }
    guard match.differences.isEmpty else {
      refused += match.differences.map {
        SchemaDifference(table: present.name, $0, isAdditive: false)
      }
      return
    }
    for column in match.additions {
      columns.append(Addition(table: present.name, column: column))
      differences.append(
        SchemaDifference(
          table: present.name, "column \(column.name) of table \(present.name) is only there",
          isAdditive: true))
    }
  }

  private mutating func note(_ object: SchemaObject) {
    differences.append(
      SchemaDifference(
        table: object.table, "\(Self.phrase(object)) is only there", isAdditive: true))
  }

  /// Returns a phrase for an object.
  static func phrase(_ object: SchemaObject) -> String {
    switch object.type {
    case "index", "trigger": "\(object.type) \(object.name) on \(object.table)"
    default: "\(object.isVirtual ? "virtual " : "")\(object.type) \(object.name)"
    }
  }

  /// The name by which two objects exclude each other: triggers have names of their own.
  private static func name(_ object: SchemaObject) -> SQLName {
    SQLName((object.type == "trigger" ? "trigger " : "") + object.name)
  }
}
