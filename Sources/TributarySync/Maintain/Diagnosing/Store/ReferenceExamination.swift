import TributaryCore
import TributarySQLite
import TributaryStore

/// Rows whose parents do not exist where nobody enforces it: by a declared reference, or by a foreign key
/// that the store keeps as the data has it.
struct ReferenceExamination: Examination {
  let store: StoreSubject

  let subject = "what rows refer to"

  /// At most this many rows are named for each reference.
  private static let examples = 5

  func examine(_ findings: inout [Finding]) throws {
    let schema = try store.schema()
    for table in schema.tables where table.refusal == nil {
      for (column, reference) in table.merge.references.sorted(by: { $0.key < $1.key }) {
        try examine(table, column, reference, schema, &findings)
      }
    }
    if !schema.enforcesForeignKeys { try examineForeignKeys(schema, &findings) }
  }

  private func examine(
    _ table: TableDescription, _ column: SQLName, _ reference: DeclaredReference,
    _ schema: ReplicatedSchema, _ findings: inout [Finding]
  ) throws {
    guard let parent = schema.table(named: reference.table.text),
      table.shape.columns.contains(where: { SQLName($0) == column })
    else { return }
    let name = "c.\(column.text.quotedIdentifier)"
    let condition = """
      FROM main.\(table.name.quotedIdentifier) AS c WHERE \(name) IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM main.\(parent.name.quotedIdentifier) AS p
        WHERE p.\(reference.column.text.quotedIdentifier) = \(name))
      """
    let count = try store.connection.integer("SELECT count(*) \(condition)") ?? 0
    guard count > 0 else { return }
    let keys = table.keyTerms.map { "c.\($0)" }.joined(separator: ", ")
    let statement = try store.connection.prepare(
      "SELECT \(keys) \(condition) ORDER BY \(keys) LIMIT \(Self.examples)")
    var rows: [String] = []
    while try statement.step() {
      var json = JSONWriter()
      json.key(statement.values)
      rows.append(json.text)
    }
    findings.append(
      finding(
        "\(count == 1 ? "1 row" : "\(count) rows") of table \(table.name) \(count == 1 ? "refers" : "refer") by "
          + "\(column) to no row of \(parent.name): \(list(rows, of: Int(count)))"))
  }

  private func examineForeignKeys(
    _ schema: ReplicatedSchema, _ findings: inout [Finding]
  ) throws {
    let rows = try DanglingRow.all(in: schema, limit: Self.examples + 1, store.connection)
    guard !rows.isEmpty else { return }
    let texts = rows.prefix(Self.examples).map(\.description)
    findings.append(
      finding(
        "foreign keys are not enforced (--foreign-keys keep): \(list(texts, of: rows.count)), which "
          + "\(rows.count == 1 ? "does" : "do") not exist"))
  }

  private func list(_ rows: [String], of count: Int) -> String {
    rows.joined(separator: ", ") + (count > rows.count ? " and others" : "")
  }

  private func finding(_ explanation: String) -> Finding {
    Finding(
      .dangling, .note, path: store.path, "\(store.path): \(explanation)",
      remedy:
        "nothing need be done unless the program that uses the database objects; a row may also be "
        + "held (`tributary conflicts list`)")
  }
}
