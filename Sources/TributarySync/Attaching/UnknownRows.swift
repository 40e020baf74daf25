import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// Rows of a database that no log mentions, not even as deleted.
struct UnknownRows {
  /// The database as it was.
  let original: Connection
  /// The store that is being put together, with the logs imported.
  let path: String
  let environment: Environment
  let directory: ContentDirectory
  let listing: ContentListing

  /// Adds them to the store, as one ordinary write.
  ///
  /// - Returns: how many there were.
  /// - Throws: `SyncError.contradiction` when one cannot stand beside the rows of the logs.
  func add() throws -> Int {
    let clock = environment.clock
    let store = try LocalStore(
      path: path, milliseconds: { clock.milliseconds() }, randomness: environment.randomness,
      recognition: .none)
    let schema = try store.schema()
    var index = RowKeyIndex()
    for (number, table) in schema.tables.enumerated() {
      try collect(table, UInt32(number), store, into: &index)
    }
    guard index.count > 0 else { return 0 }
    var isUnknown = Array(repeating: true, count: index.count)
    try strike(schema, index, &isUnknown)
    do {
      return try store.write(firingTriggers: false) { database in
        try database.execute("PRAGMA defer_foreign_keys = ON")
        return try insert(schema, index, isUnknown, into: database)
      }
    } catch let error as SQLiteError where error.isConstraintViolation {
      throw SyncError(
        .contradiction,
        "a row that only this database has cannot stand beside those of the logs: "
          + error.message, path: original.path,
        remedy: "change or remove that row, then attach again; nothing has been changed")
    }
  }

  /// Finds the rows whose key is not among those of the store.
  private func collect(
    _ table: TableDescription, _ number: UInt32, _ store: LocalStore, into index: inout RowKeyIndex
  ) throws {
    guard let source = try sourceTable(table) else { return }
    let encoder = RowKeyEncoder(shape: source.shape)
    let reader = RowReader(table)
    try store.service { connection in
      let statement = try original.prepare(selection(source, source.keyColumnNames))
      var key = ByteBuffer()
      while try statement.step() {
        let values = statement.values
        if try reader.row(values, in: connection) != nil { continue }
        key.removeAll()
        try encoder.encode(values, into: &key)
        _ = index.insert(key.bytes, table: number)
      }
    }
  }

  /// Strikes out the keys that some log mentions: those rows were deleted there.
  private func strike(
    _ schema: ReplicatedSchema, _ index: borrowing RowKeyIndex, _ isUnknown: inout [Bool]
  ) throws {
    var key = ByteBuffer()
    for listing in listing.peers {
      let stream = try SegmentStream(
        listing,
        segments: SegmentStore(directory, peer: listing.peer, using: environment.fileSystem),
        after: .zero, verified: VerifiedSegments(),
        relist: { try environment.scan($0, in: directory).segments })
      var encoders: [TableShape: (RowKeyEncoder, UInt32)] = [:]
      while stream.head != nil {
        while let change = try stream.nextChange() {
          let shape = stream.shape(change.shapeID)
          guard
            let table = schema.tables.firstIndex(where: {
              SQLName($0.name) == SQLName(shape.table)
            })
          else { continue }
          let (encoder, number) =
            encoders[shape] ?? (RowKeyEncoder(shape: shape), UInt32(table))
          encoders[shape] = (encoder, number)
          key.removeAll()
          try encoder.encode(change.operation, image: change.image, into: &key)
          if let row = index.number(of: key.bytes, table: number) { isUnknown[row] = false }
        }
        try stream.advance()
      }
      if let failure = stream.failure { throw failure }
    }
  }

  private func insert(
    _ schema: ReplicatedSchema, _ index: borrowing RowKeyIndex, _ isUnknown: [Bool],
    into database: Database
  ) throws -> Int {
    var count = 0
    var key = ByteBuffer()
    for (number, table) in schema.tables.enumerated() {
      guard let source = try sourceTable(table) else { continue }
      let encoder = RowKeyEncoder(shape: source.shape)
      let names = source.shape.columns
      let columns = names.map(\.quotedIdentifier).joined(separator: ", ")
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      let insert = try database.prepare(
        "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))")
      let statement = try original.prepare(selection(source, names))
      while try statement.step() {
        let row = statement.values
        key.removeAll()
        try encoder.encode(source.shape.keys.map { row[$0.column] }, into: &key)
        guard let place = index.number(of: key.bytes, table: UInt32(number)), isUnknown[place]
        else {
          continue
        }
        for (position, value) in row.enumerated() { try insert.bind(value, at: position + 1) }
        try insert.run()
        count += 1
      }
    }
    return count
  }

  private func sourceTable(_ table: TableDescription) throws -> TableDescription? {
    try ReplicatedSchema(original, selection: .all).table(named: table.name)
  }

  private func selection(_ table: TableDescription, _ columns: [String]) -> String {
    "SELECT \(columns.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(table.name.quotedIdentifier)"
  }
}

extension TableDescription {
  /// In the order of the key.
  var keyColumnNames: [String] { shape.keys.map { shape.columns[$0.column] } }
}
