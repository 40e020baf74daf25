import TributaryCore
internal import TributaryHorizon
import TributaryLog
import TributarySQLite

/// Turns the rows of a database into its first transaction, in bounded memory.
///
/// The transaction's time is zero, below every real write, so that a copy of an old database never overrides
/// a write.
struct Adoption {
  let connection: Connection
  let schema: ReplicatedSchema
  /// The user's name for the database.
  let path: String
  /// Reports the progress of adopting rows.
  var work = LongWork()

  /// Returns the reasons against adopting rows: the first reason for each table.
  ///
  /// - Parameter hasParents: whether every row's parent is known to exist.
  func refusals(
    for tables: [TableDescription], havingParents hasParents: Bool
  ) throws -> [AttachRefusal] {
    var refusals: [AttachRefusal] = []
    for table in tables {
      let options = [AttachOption.except(table.name)]
      refusals += try keyRefusals(for: [table])
      _ = try refusals.collect(table: table.name, options: options) { try checkRows(of: table) }
    }
    let found = try hasParents ? [] : refusals.collect { try orphans(of: tables) }
    return refusals + (found ?? [])
  }

  /// Returns refusals of rows that no device could tell apart: the first such row of each table.
  func keyRefusals(for tables: [TableDescription]) throws -> [AttachRefusal] {
    var refusals: [AttachRefusal] = []
    for table in tables {
      _ = try refusals.collect(table: table.name, options: [.except(table.name)]) {
        try checkKeys(of: table)
      }
    }
    return refusals
  }

  /// Makes the rows the store's first transaction.
  ///
  /// - Parameter alone: the identity of a store that knows of no other; its rows are not recorded a second
  ///   time if there are many of them (see `settle`).
  /// - Returns: the number of rows; if it is 0, there is no transaction.
  func perform(alone: PeerIdentity?) throws -> Int {
    if let alone, try databaseByteCount > Self.recordedByteCount { return try settle(alone) }
    return try record()
  }

  private var databaseByteCount: Int64 {
    get throws {
      let pages = try connection.integer("PRAGMA main.page_count") ?? 0
      return try pages * (connection.integer("PRAGMA main.page_size") ?? 0)
    }
  }

  /// The rows of a larger database are not recorded a second time. The limit is as many bytes as the outbox
  /// keeps in one row.
  static let recordedByteCount = Int64(Outbox.pieceByteCount)

  /// Declares a horizon that covers all rows (rule 17 of `docs/space-files.md`): a baseline of the store is
  /// then the text of the first transaction, so the outbox has only its number and time.
  private func settle(_ own: PeerIdentity) throws -> Int {
    var rows = 0
    for table in schema.tables {
      try work.note(Self.stage, rows, of: nil)
      rows += try count(table)
    }
    let first = SequenceNumber(1)
    var horizon = Knowledge()
    horizon[own] = first
    let declaration = HorizonState().proposal(
      members: [own], horizon: horizon, times: [own: .zero], identify: \.digest)
    guard rows > 0, let declaration else { return rows }
    try Outbox(connection).append(
      Outbox.Record(
        sequence: first, time: .zero, schema: SchemaNames(connection).number(of: schema.name),
        basis: nil),
      changes: UnsafeRawBufferPointer(start: nil, count: 0), pieces: [0])
    var record = HorizonRecord(settled: declaration)
    record.state.follow(declaration)
    try record.write(to: connection)
    let settings = Settings(connection)
    for key in [Settings.Key.removed, .examined, .numberings] {
      try settings.set(key, .integer(Int64(first.rawValue)))
    }
    return rows
  }

  private func count(_ table: TableDescription) throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(table.name.quotedIdentifier)") ?? 0)
  }

  /// The name of this stage in progress reports.
  private static let stage = "adopting"
  /// Progress is reported after this many rows.
  private static let rowStep = 10_000

  /// Records the rows in the outbox.
  private func record() throws -> Int {
    let total = try work.tell == nil ? nil : schema.tables.reduce(0) { try $0 + count($1) }
    try work.note(Self.stage, 0, of: total)
    var registry = try ShapeRegistry(connection)
    let schemaNumber = try SchemaNames(connection).number(of: schema.name)
    var writer = PieceWriter(
      outbox: Outbox(connection),
      record: Outbox.Record(
        sequence: SequenceNumber(1), time: .zero, schema: schemaNumber, basis: nil))
    var rows = 0
    for table in schema.tables {
      let number = try registry.number(of: table.shape)
      let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
      let statement = try connection.prepare(
        "SELECT \(columns) FROM \(table.name.quotedIdentifier)")
      while try statement.step() {
        writer.buffer.appendChangeHead(.insert, shape: number)
        for column in 0..<statement.columnCount { writer.buffer.append(statement, column: column) }
        rows += 1
        try writer.endItem()
        if rows.isMultiple(of: Self.rowStep) { try work.note(Self.stage, rows, of: total) }
      }
    }
    if rows > 0 { try writer.finish() }
    return rows
  }

  /// Refuses a row with NULL in its key, since nothing would identify it.
  private func checkKeys(of table: TableDescription) throws {
    guard !table.hasRowIdentifierKey else { return }
    for key in table.shape.keys {
      let column = table.shape.columns[key.column]
      let isNull = try connection.integer(
        """
        SELECT 1 FROM main.\(table.name.quotedIdentifier) WHERE \(column.quotedIdentifier) IS NULL
        LIMIT 1
        """)
      guard isNull != nil else { continue }
      throw StoreError(
        .unusableRow,
        "a row of table \(table.name) has NULL in \(column), a column of \(table.keyPhrase)",
        path: path, remedy: "give the row a key, or leave the table out with --except")
    }
  }

  /// Refuses a row that violates a constraint, since no other device could insert it. Such rows exist if they
  /// were written with the constraints switched off, or are damaged.
  private func checkRows(of table: TableDescription) throws {
    let check = try connection.prepare(
      "PRAGMA main.quick_check(\(table.name.quotedIdentifier))")
    let kinds = ["CHECK constraint failed in ", "NULL value in ", "non-"]
    var isDoubtful = false
    while try !isDoubtful && check.step() {
      let text = check.string(0)
      isDoubtful = kinds.contains(where: text.hasPrefix)
    }
    check.reset()
    // SQLite (3.40) reads columns other than those it names if a table WITHOUT ROWID does not declare its key
    // columns first. So only a row that is really refused counts.
    guard isDoubtful, let (row, reason) = try firstRefused(of: table) else { return }
    throw StoreError(
      .adoption, "\(row) of table \(table.name) breaks a constraint of its table: \(reason)",
      path: path,
      remedy: "change or delete what `PRAGMA quick_check` lists, then attach again")
  }

  /// Returns the first row that an empty copy of the table refuses, and the reason.
  private func firstRefused(of table: TableDescription) throws -> (row: String, reason: String)? {
    let copy = try Connection(
      path: ":memory:", mode: .create, extensions: connection.extensions)
    try copy.execute(table.sql)
    let name = table.name.quotedIdentifier
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = table.shape.columns.map { _ in "?" }.joined(separator: ", ")
    let rows = try connection.prepare("SELECT \(columns) FROM \(name)")
    let insertion = try copy.prepare(
      "INSERT OR ABORT INTO \(name) (\(columns)) VALUES (\(marks))")
    let deletion = try copy.prepare("DELETE FROM \(name)")
    while try rows.step() {
      let row = rows.values
      try insertion.bind(row)
      do { try insertion.run() } catch {
        guard error.isConstraintViolation else { throw error }
        var json = JSONWriter()
        json.key(table.key(of: row))
        return ("row \(json.text)", error.message)
      }
      try deletion.run()
    }
    return nil
  }

  /// Returns the first row without a parent for each pair of table and parent table.
  private func orphans(of tables: [TableDescription]) throws -> [AttachRefusal] {
    var refusals: [AttachRefusal] = []
    guard schema.enforcesForeignKeys else { return refusals }
    let names = Set(tables.map { SQLName($0.name) })
    for table in tables {
      guard let mismatch = try DanglingRow.mismatch(of: table.name, connection) else { continue }
      refusals.append(
        refusal(
          mismatch, of: table.name,
          remedy:
            "give the columns that it refers to a UNIQUE index, or leave foreign keys off with --foreign-keys keep"
        ))
    }
    var known: Set<[SQLName]> = []
    // The first row of each pair of tables is enough.
    let rows = try DanglingRow.all(in: connection) { row in
      row.isReplicated(in: schema) && names.contains(SQLName(row.table))
        && known.insert([SQLName(row.table), SQLName(row.parent)]).inserted
    }
    for row in rows {
      refusals.append(
        refusal(
          "\(row) that does not exist", of: row.table,
          remedy:
            "repair what `PRAGMA foreign_key_check` lists, or keep the rows with --foreign-keys keep"
        ))
    }
    return refusals
  }

  /// A refusal of a table that can be attached if foreign keys are not enforced.
  private func refusal(_ finding: String, of table: String, remedy: String) -> AttachRefusal {
    AttachRefusal(
      StoreError(.adoption, finding, path: path, remedy: remedy),
      table: table, options: [AttachOption("foreign-keys", ForeignKeys.keep.rawValue)])
  }
}
