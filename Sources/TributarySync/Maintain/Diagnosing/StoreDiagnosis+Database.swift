import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Examines the database as SQLite knows it.
extension StoreDiagnosis {
  /// Examines the files beside a database.
  static func files(
    beside path: String, _ environment: StoreEnvironment, _ findings: inout Findings
  ) throws {
    // In bytes: SQLite restarts a log at 4 MB unless something prevents it.
    let limit: UInt64 = 64 << 20
    let log = path + "-wal"
    if let status = try environment.fileSystem.status(log), status.size > limit {
      findings.warn(
        .writeAheadLog, path: log,
        "\(log) has \(status.size >> 20) MB: a program has been reading for long, or a process was killed",
        remedy: "end long reads; it shrinks when the last process closes the store")
    }
    let staging = Staging(target: path, fileSystem: environment.fileSystem).path
    if try environment.fileSystem.status(staging) != nil {
      findings.note(
        .staging, path: staging,
        "\(staging) is being put together, or was left by an attach or rebuild that was killed",
        remedy: "run that command again, or remove the file when none is running")
    }
    let scratch = try ScratchFiles(of: path)
    for file in scratch.locked + scratch.stale {
      // A file that has gone meanwhile was in use.
      guard let status = try environment.localFiles.status(file) else { continue }
      findings.note(
        .staging, path: file,
        "\(file) (\(status.size) bytes) belongs to a baseline that is being written or read, or was left by a "
          + "process that was killed",
        remedy: "\(Remedy.sync), which removes it when no process uses it")
    }
  }

  /// Examines whether the store can be written.
  static func access(
    to path: String, _ environment: StoreEnvironment, _ findings: inout Findings
  ) {
    do throws(FileError) {
      try environment.checkWritable(store: path)
    } catch {
      findings.warn(
        .permission, path: error.path,
        "the store \(path) cannot be written (\(error)\(environment.because(error))): nothing is recorded, published or "
          + "imported, and nobody can say what the next `tributary sync` would find",
        remedy: error.remedy)
    }
  }

  /// Examines whether there is space for the store on its disk.
  ///
  /// - Parameter container: the place of the container, which may be on the same disk.
  func room(beside container: String, _ findings: inout Findings) {
    guard let full = environment.fullDisk(of: path) else { return }
    // A disk is named once, unless the store shows that nothing can be written at all.
    let isNamed =
      findings.all.contains { $0.code == .containerFull } && isOnDisk(of: container)
    if isNamed, !connection.keepsOthersOut { return }
    findings.warn(.storeFull, path: path, full.finding, remedy: full.remedy)
  }

  private func isOnDisk(of container: String) -> Bool {
    // If either status is unknown, the two count as being on different disks: naming a full disk twice does
    // no harm.
    guard let store = (try? environment.localFiles.status(path)) ?? nil,
      let other = (try? environment.fileSystem.status(container)) ?? nil
    else { return false }
    return store.identity.device == other.identity.device
  }

  /// Runs SQLite's own checks.
  func database(_ findings: inout Findings) throws {
    // At most this many errors of each kind are reported.
    let limit = 10
    do {
      var count = 0
      try IntegrityCheck(connection: connection).forEachError { text in
        findings.add(damage(.database, text))
        count += 1
        return count < limit
      }
      let schema = try schema()
      let rows = try DanglingRow.all(in: connection, limit: limit) { row in
        row.isBookkeeping || schema.enforcesForeignKeys && row.isReplicated(in: schema)
      }
      for row in rows {
        findings.add(
          damage(
            .foreignKey, "\(row) that is not there",
            remedy: row.isBookkeeping
              ? Remedy.rebuild
              : "run `tributary verify`; where it finds no difference, a program has written with foreign keys "
                + "off: repair what `PRAGMA foreign_key_check` lists"))
      }
    } catch let error as SQLiteError where error.isDamage {
      findings.add(damage(.database, error.message))
    }
  }

  // MARK: References that are not enforced

  /// Examines rows whose parents do not exist and whose reference is not enforced: a declared reference, or a
  /// foreign key that the store keeps as the data has it.
  func references(_ findings: inout Findings) throws {
    let schema = try schema()
    for table in schema.tables where table.refusal == nil {
      for (column, reference) in table.merge.references.sorted(by: { $0.key < $1.key }) {
        try examine(table, column, reference, schema, &findings)
      }
    }
    // More examples are not needed.
    let limit = 5
    if schema.enforcesForeignKeys { return }
    let rows = try DanglingRow.all(in: schema, limit: limit + 1, connection)
    if rows.isEmpty { return }
    noteDangling(
      "foreign keys are not enforced (--foreign-keys keep): "
        + "\(list(rows.prefix(limit).map(\.description), of: rows.count)), which "
        + "\(rows.count == 1 ? "does" : "do") not exist", &findings)
  }

  private func examine(
    _ table: TableDescription, _ column: SQLName, _ reference: DeclaredReference,
    _ schema: ReplicatedSchema, _ findings: inout Findings
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
    let count = try connection.integer("SELECT count(*) \(condition)") ?? 0
    guard count > 0 else { return }
    let keys = table.keyTerms.map { "c.\($0)" }.joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(keys) \(condition) ORDER BY \(keys) LIMIT 5")
    var rows: [String] = []
    while try statement.step() {
      var json = JSONWriter()
      json.key(statement.values)
      rows.append(json.text)
    }
    noteDangling(
      "\(count == 1 ? "1 row" : "\(count) rows") of table \(table.name) \(count == 1 ? "refers" : "refer") by "
        + "\(column) to no row of \(parent.name): \(list(rows, of: Int(count)))", &findings)
  }

  private func list(_ rows: [String], of count: Int) -> String {
    rows.joined(separator: ", ") + (count > rows.count ? " and others" : "")
  }

  private func noteDangling(_ explanation: String, _ findings: inout Findings) {
    findings.note(
      .dangling, path: path, "\(path): \(explanation)",
      remedy:
        "nothing needs to be done unless the program that uses the database objects; a row may also be "
        + "held (`tributary conflicts list`)")
  }
}

extension DanglingRow {
  fileprivate var isBookkeeping: Bool { table.hasPrefix("tributary_") }
}
