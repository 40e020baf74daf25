import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// The rows of a joining database, as far as the logs do not show them. They become the first transactions of
/// its store, and the rules of the merge decide which of them are visible.
///
/// What the logs contradict is written with the lowest time, by an author who knew nothing. It therefore
/// loses, and what loses is a conflict. Rows that no log mentions, and values about which no log says
/// anything, become an ordinary write. If logs are missing, it is unknown what these say about a row, so it
/// is written with the lowest time, too.
///
/// Where the devices have agreed on a horizon, no log shows any more what was deleted below it. If the
/// database has a key that the logs or the baseline have, it may be of this content. Then rows that no other
/// device has count as deleted, and lose.
struct JoiningRows {
  /// The database as it was.
  let original: Connection
  /// The store that is being put together, with the logs imported.
  let connection: Connection
  let environment: StoreEnvironment
  /// Marks the rows that the imported logs mention.
  let mentions: LoggedKeys
  /// Whether everything that others have written is in the logs that can be read here, whether imported or
  /// not.
  let isComplete: Bool
  /// The horizon on which the devices have agreed and below which they have forgotten; `nil` if there is
  /// none.
  let horizon: Declaration?
  /// The substitution with which to read the rows of the database, if some of them have new numbers.
  var substitution: NumberSubstitution?

  /// The outcome for the rows.
  struct Outcome {
    /// The number of keys that the logs show.
    var visible = 0
    /// Whether values differ from the database's in columns whose losses are not conflicts.
    var hasUnsaid = false
    /// The number of rows that lose because they may have been deleted below the horizon.
    var doubted = 0
    /// The number of rows added to tables whose rows identify themselves.
    var addedUnkeyed = 0
  }

  /// Writes the transactions into the outbox.
  func record() throws -> Outcome {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    var outcome = Outcome()
    var index = RowKeyIndex()
    var registry = try ShapeRegistry(connection)
    let schemaNumber = try SchemaNames(connection).number(of: schema.name)
    var unstated = UnstatedCells(schema, connection)
    for (number, table) in schema.tables.enumerated() where !table.keepsEqualRowsApart {
      let held = try HeldTable(connection, schema: schema).heldRows(of: number)
      try forEachRow(of: table, number) { row, key, visible in
        if visible == nil {
          _ = index.insert(key, table: UInt32(number))
        } else {
          outcome.visible += 1
        }
        if let present = visible ?? held[Array(key)] {
          try unstated.ask(row, present, key: key, of: number)
        }
      }
    }
    try unstated.look(in: mentions)
    let isOld = isComplete ? try mentions.marks(of: index, schema) : []
    let mayBeDeleted = horizon != nil && (outcome.visible > 0 || isOld.contains(true))
    var losses = try JoiningLosses(
      connection, schema, beneath: horizon, schemaNumber: schemaNumber)
    let unkeyed = try unkeyedRows(schema)
    let names = try TakenNumbers(schema, connection).names { table, body in
      try forEachRow(of: schema.tables[table], table) { row, _, visible in body(row, visible) }
    }
    var hasAdditions = false
    for (number, table) in schema.tables.enumerated() where !table.keepsEqualRowsApart {
      let held = try HeldTable(connection, schema: schema).heldRows(of: number)
      let shape = try registry.number(of: table.shape)
      try forEachRow(of: table, number) { row, key, visible in
        if let present = visible ?? held[Array(key)] {
          let difference = RowDifference(
            of: row, from: present, table, unstated: unstated.columns(of: key, table: number))
          outcome.hasUnsaid = outcome.hasUnsaid || difference.hasUnsaid
          hasAdditions = hasAdditions || difference.addition != nil
          if difference.addition != nil, !isComplete {
            // The row shows what the database has until the logs contain something else.
            try losses.replace(row, of: number, shape, names)
          } else if !difference.isEmpty {
            try losses.update(row, of: number, difference.columns, shape, names)
          }
        } else if mayBeDeleted || !isComplete
          || index.number(of: key, table: UInt32(number)).map({ isOld[$0] })
            ?? true
        {
          outcome.doubted += mayBeDeleted ? 1 : 0
          try losses.replace(row, of: number, shape, names)
        }
      }
    }
    if !isComplete {
      // These are numberings: if they are copies of rows that have not arrived yet, they mean those rows.
      for (number, rows) in unkeyed.sorted(by: { $0.key < $1.key }) {
        let shape = try registry.number(of: schema.tables[number].shape)
        try rows.forEachNewRow {
          try losses.insert(names.row($0, of: number), shape)
          outcome.addedUnkeyed += 1
        }
      }
    }
    let count = try losses.finish()
    if count > 0 { try limitKnowledge(ofFirst: count) }
    guard isComplete,
      isOld.contains(false) && !mayBeDeleted || !unkeyed.isEmpty || hasAdditions
    else { return outcome }
    var late = JoiningRecord(
      Outbox.Record(
        sequence: SequenceNumber(count + 1), time: try now(), schema: schemaNumber,
        basis: nil), connection)
    for (number, table) in schema.tables.enumerated() {
      let held = try HeldTable(connection, schema: schema).heldRows(of: number)
      let shape = try registry.number(of: table.shape)
      if table.keepsEqualRowsApart {
        try unkeyed[number]?.forEachNewRow {
          try late.put($0, .insert, shape)
          outcome.addedUnkeyed += 1
        }
        continue
      }
      try forEachRow(of: table, number) { row, key, visible in
        if let present = visible ?? held[Array(key)] {
          let difference = RowDifference(
            of: row, from: present, table, unstated: unstated.columns(of: key, table: number))
          if let addition = difference.addition {
            try late.update(addition.row, addition.columns, shape)
          }
        } else if !mayBeDeleted, let place = index.number(of: key, table: UInt32(number)),
          !isOld[place]
        {
          try late.put(row, .insert, shape)
        }
      }
    }
    _ = try late.finish()
    return outcome
  }

  /// Makes the first transactions know nothing, or exactly the horizon.
  private func limitKnowledge(ofFirst count: UInt64) throws {
    let knowledge = KnowledgeTable(connection)
    guard let horizon else { return try knowledge.hide(from: SequenceNumber(1)) }
    for peer in try knowledge.peers() where peer.sequence > horizon.horizon[peer.peer] {
      try knowledge.setBack(
        peer.peer, to: horizon.horizon[peer.peer], time: horizon.times[peer.peer] ?? .zero)
      try knowledge.advance(
        peer.peer, to: peer.sequence, time: peer.time, after: SequenceNumber(count))
    }
  }

  /// Returns, by table, the rows that identify themselves and that the store does not show.
  private func unkeyedRows(_ schema: ReplicatedSchema) throws -> [Int: UnkeyedRows] {
    var found: [Int: UnkeyedRows] = [:]
    for (number, table) in schema.tables.enumerated() where table.keepsEqualRowsApart {
      let rows = try UnkeyedRows(
        table, place: number, in: connection, from: original, substitution,
        held: HeldTable(connection, schema: schema).heldRows(of: number))
      if !rows.isEmpty { found[number] = rows }
    }
    if !found.isEmpty {
      try mentions.forEachChange(schema) { change, shape, table, _ in
        try found[table]?.follow(change, shape)
      }
    }
    return found
  }

  /// Returns the number of keys that the store shows.
  func countVisible() throws -> Int {
    var count = 0
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    for (number, table) in schema.tables.enumerated() where !table.keepsEqualRowsApart {
      try forEachRow(of: table, number) { _, _, visible in count += visible == nil ? 0 : 1 }
    }
    return count
  }

  /// Passes on each row of the database, together with its key and the row that is visible under that key.
  private func forEachRow(
    of table: TableDescription, _ number: Int,
    _ body: (_ row: [Value], _ key: UnsafeRawBufferPointer, _ visible: [Value]?) throws -> Void
  ) throws {
    let encoder = RowKeyEncoder(shape: table.shape)
    let reader = RowReader(table)
    let columns = table.shape.columns.map { "r.\($0.quotedIdentifier)" }.joined(separator: ", ")
    let statement = try original.prepare(
      "SELECT \(columns) FROM main.\(table.name.quotedIdentifier) AS r")
    var key = ByteBuffer()
    while try statement.step() {
      let row = substitution?.row(statement.values, of: number) ?? statement.values
      let values = table.shape.keys.map { row[$0.column] }
      guard !values.contains(.null) else {
        throw StoreError(
          .unusableRow, "a row of table \(table.name) has NULL in \(table.keyPhrase)",
          path: original.path, remedy: "give the row a key, or leave the table out with --except")
      }
      key.removeAll()
      try encoder.encode(values, into: &key)
      try body(row, key.bytes, reader.row(values, in: connection))
    }
  }

  private func now() throws -> HybridTime {
    let last = try Outbox(connection).last()?.time ?? .zero
    var clock = HybridClock(last: max(try KnowledgeTable(connection).latestTime(), last))
    guard
      let time = clock.tick(
        milliseconds: environment.clock.milliseconds(), randomness: environment.randomness())
    else {
      throw StoreError(
        .clock, "the clock has run out of times", path: original.path,
        remedy: "a peer with a broken clock has written: see `tributary doctor` of the container")
    }
    return time
  }
}
