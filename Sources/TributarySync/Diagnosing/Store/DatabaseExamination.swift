import TributarySQLite
import TributaryStore

/// What SQLite itself finds.
struct DatabaseExamination: Examination {
  let store: StoreSubject

  let subject = "the database"

  /// At most this number is reported.
  private static let limit = 10

  func examine(_ findings: inout [Finding]) throws {
    do {
      try checkIntegrity(&findings)
      try checkForeignKeys(&findings)
    } catch let error as SQLiteError where error.isDamage {
      findings.append(store.damage(.database, error.message))
    }
  }

  private func checkIntegrity(_ findings: inout [Finding]) throws {
    let statement = try store.connection.prepare("PRAGMA integrity_check(\(Self.limit))")
    while try statement.step() {
      let text = statement.string(0)
      if text != "ok" { findings.append(store.damage(.database, text)) }
    }
  }

  private func checkForeignKeys(_ findings: inout [Finding]) throws {
    let statement = try store.connection.prepare(
      """
      SELECT "table", rowid, parent FROM pragma_foreign_key_check
      WHERE \(Reference.bindsSomebody) LIMIT \(Self.limit)
      """)
    while try statement.step() {
      let row = statement.isNull(1) ? "a row" : "row \(statement.integer(1))"
      let table = statement.string(0)
      findings.append(
        Finding(
          .foreignKey, .damage, path: store.path,
          "\(store.path): \(row) of table \(table) refers to a row of \(statement.string(2)) that is not there",
          remedy: table.hasPrefix("tributary_")
            ? Remedy.rebuild
            : "run `tributary verify`; where it finds no difference, a program has written with foreign keys "
              + "off: mend what `PRAGMA foreign_key_check` lists"))
    }
  }
}
