import TributarySQLite
import TributaryStore

/// What SQLite's own checks find.
struct DatabaseExamination: Examination {
  let store: StoreSubject

  let subject = "the database"

  /// At most this many errors are reported.
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
    let schema = try store.schema()
    let rows = try DanglingRow.all(in: store.connection, limit: Self.limit) { row in
      Self.isBookkeeping(row) || schema.enforcesForeignKeys && row.isReplicated(in: schema)
    }
    for row in rows {
      findings.append(
        Finding(
          .foreignKey, .damage, path: store.path, "\(store.path): \(row) that is not there",
          remedy: Self.isBookkeeping(row)
            ? Remedy.rebuild
            : "run `tributary verify`; where it finds no difference, a program has written with foreign keys "
              + "off: repair what `PRAGMA foreign_key_check` lists"))
    }
  }

  private static func isBookkeeping(_ row: DanglingRow) -> Bool {
    row.table.hasPrefix("tributary_")
  }
}
