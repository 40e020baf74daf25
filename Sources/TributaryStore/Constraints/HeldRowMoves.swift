import TributaryCore
import TributaryLog
import TributarySQLite

/// Gives held rows another number when SQLite has given theirs to a new row: it does not see rows
/// that are out of their table, and counts on from the largest one that it sees. Rows that refer to
/// them without showing it follow.
struct HeldRowMoves {
  let connection: Connection
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  let shapeNumbers: [SQLName: UInt32]
  /// The transaction that is to be committed.
  let author: Conflict.Side

  /// A row that is held, or shows something else than it refers to.
  private final class Row {
    let entry: HeldTable.Entry
    let old: [Value]
    var new: [Value]
    /// Another row has its key now.
    var isMoved = false

    init(_ entry: HeldTable.Entry, _ row: [Value]) {
      self.entry = entry
      old = row
      new = row
    }

    var table: Int { entry.identity.table }
  }

  private var schema: ReplicatedSchema { constraints.schema }
  private var held: HeldTable { HeldTable(connection, schema: schema) }

  /// Appends to the changes of the transaction what becomes of such rows by it.
  ///
  /// - Returns: whether anything does.
  func append(to changes: UnsafeRawBufferPointer, _ result: inout ByteBuffer) throws -> Bool {
    let (written, numbered) = try read(changes)
    guard try numbered.contains(where: { try held.entry($0)?.isHeld ?? false }) else {
      return false
    }
    let rows = try self.rows()
    var open: [Row] = []
    for row in rows where row.entry.isHeld && numbered.contains(row.entry.identity) {
      let table = schema.tables[row.table]
      row.isMoved = true
      row.new[table.shape.keys[0].column] = .integer(
        FreshNumber.number(table: table.name, held: row.old))
      open.append(row)
    }
    guard !open.isEmpty else { return false }
    while let parent = open.popLast() {
      for child in rows where child.isMoved || !written.contains(child.entry.identity) {
        if try follow(parent, child) { open.append(child) }
      }
    }
    for row in rows where row.isMoved || row.old != row.new {
      try append(row, &result)
      try put(row)
    }
    return true
  }

  /// The rows that the changes write, and those among them that may have got a number from SQLite.
  private func read(
    _ changes: UnsafeRawBufferPointer
  ) throws -> (written: Set<RowIdentity>, numbered: Set<RowIdentity>) {
    var written: Set<RowIdentity> = []
    var numbered: Set<RowIdentity> = []
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let shape = registry.shapes[change.shapeID],
        let table = schema.tables.firstIndex(where: {
          SQLName($0.name) == SQLName(shape.table)
        })
      else { continue }
      let key = try shape.key(change.operation, image: change.image)
      let identity = try schema.tables[table].identity(key: key, number: table)
      written.insert(identity)
      if change.operation == .insert, schema.tables[table].numbersItsRows {
        numbered.insert(identity)
      }
    }
    return (written, numbered)
  }

  private func rows() throws -> [Row] {
    try held.entries(of: Set(schema.tables.indices)).compactMap { entry in
      if entry.isHeld { return Row(entry, try held.row(entry)) }
      let table = schema.tables[entry.identity.table]
      let key = try table.keyValues(entry.identity.key)
      return try RowReader(table).row(key, in: connection).map { shown in
        Row(entry, table.row(shown, with: entry.cells))
      }
    }
  }

  /// Lets a row refer to where another has gone.
  ///
  /// - Returns: whether it has referred to it.
  private func follow(_ parent: Row, _ child: Row) throws -> Bool {
    var follows = false
    for reference in constraints.references[child.table] where reference.parent == parent.table {
      guard let columns = reference.parentPositions, let values = reference.values(child.old),
        columns.contains(where: { parent.old[$0] != parent.new[$0] }),
        try reference.bytes(values) == reference.bytes(columns.map { parent.old[$0] })
      else { continue }
      for (column, place) in zip(reference.childColumns, columns)
      where parent.old[place] != parent.new[place] && child.new[column] != parent.new[place] {
        // A visible row goes on showing what it shows.
        guard child.entry.isHeld || child.entry.hides(column, of: schema.tables[child.table])
        else { continue }
        child.new[column] = parent.new[place]
        follows = true
      }
    }
    return follows
  }

  /// Writes down where a row is from now on.
  private func put(_ row: Row) throws {
    let table = schema.tables[row.table]
    let old = row.entry.identity
    let identity = try table.identity(row.new, number: row.table)
    let conflicts = ConflictTable(connection)
    for conflict in try conflicts.conflicts(of: table.name, row: old.key)
    where !conflict.kind.isAboutCells {
      try conflicts.end(conflict, row: old.key, milliseconds: author.time.milliseconds)
    }
    let claims = ClaimTable(connection, schema: schema)
    let known = try claims.claims(of: old)
    let before = try constraints.subjects(of: row.old, table: row.table)
    var sides: [ClaimTable.Subject: Conflict.Side] = [:]
    for subject in try constraints.subjects(of: row.new, table: row.table) {
      sides[subject] = identity == old && before.contains(subject) ? known[subject] : author
    }
    // The row that has the number now goes on with the claims that it shares.
    if !row.isMoved { try claims.replace(old, with: [:]) }
    try held.remove(old)
    var cells = zip(table.shape.columns, row.new).map { Conflict.Cell(column: $0, value: $1) }
    if !row.entry.isHeld {
      let hidden = Set(row.entry.cells.map { SQLName($0.column) })
      cells = cells.filter { hidden.contains(SQLName($0.column)) }
    }
    try held.put(HeldTable.Entry(identity: identity, isHeld: row.entry.isHeld, cells: cells))
    try claims.replace(identity, with: sides)
  }

  // MARK: Changes

  /// One change, or two where the row goes from a key that nobody else has now.
  private func append(_ row: Row, _ result: inout ByteBuffer) throws {
    let table = schema.tables[row.table]
    let shape = shapeNumbers[SQLName(table.name)] ?? 0
    let isSame =
      try !row.isMoved && table.identity(row.new, number: row.table) == row.entry.identity
    if isSame {
      appendUpdate(row, table, shape, &result)
    } else {
      if !row.isMoved {
        result.appendChangeHead(.delete, shape: shape)
        for value in table.key(of: row.old) { result.append(value) }
      }
      result.appendChangeHead(.insert, shape: shape)
      for value in row.new { result.append(value) }
    }
  }

  private func appendUpdate(
    _ row: Row, _ table: TableDescription, _ shape: UInt32, _ result: inout ByteBuffer
  ) {
    result.appendChangeHead(.update, shape: shape)
    let keys = Set(table.shape.keys.map(\.column))
    for column in row.new.indices {
      // Rows that are merged as a whole are said as a whole.
      let isSaid =
        keys.contains(column) || row.old[column] != row.new[column]
        || table.mergesByRow && table.policies[column] != .counter
      if isSaid { result.append(row.new[column]) } else { result.appendAbsent(count: 1) }
    }
  }
}

extension HeldTable.Entry {
  /// Whether a visible row does not show that column.
  fileprivate func hides(_ column: Int, of table: TableDescription) -> Bool {
    cells.contains { SQLName($0.column) == SQLName(table.shape.columns[column]) }
  }
}
