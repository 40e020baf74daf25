import TributaryCore
import TributaryLog
import TributarySQLite

/// Gives held rows another number when SQLite has given theirs to a new row: it does not see rows
/// that are out of their table, and counts on from the largest one that it sees.
struct HeldRowMoves {
  let connection: Connection
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  let shapeNumbers: [String: UInt32]
  /// The transaction that is to be committed.
  let author: Conflict.Side

  private var schema: ReplicatedSchema { constraints.schema }
  private var held: HeldTable { HeldTable(connection, schema: schema) }

  /// Appends to the changes of the transaction what becomes of held rows by it.
  ///
  /// - Returns: whether anything does.
  func append(to changes: UnsafeRawBufferPointer, _ result: inout ByteBuffer) throws -> Bool {
    var written: Set<RowIdentity> = []
    var numbers: [(table: Int, identity: RowIdentity, number: Int64)] = []
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let shape = registry.shapes[change.shapeID],
        let table = schema.tables.firstIndex(where: {
          $0.name.lowercased() == shape.table.lowercased()
        })
      else { continue }
      let key = try shape.key(change.operation, image: change.image)
      let identity = try schema.tables[table].identity(key: key, number: table)
      written.insert(identity)
      if change.operation == .insert, schema.tables[table].numbersItsRows,
        case .integer(let number) = key[0]
      {
        numbers.append((table, identity, number))
      }
    }
    var isMoved = false
    for (table, identity, number) in numbers {
      guard
        let entry = try held.entries(of: [table]).first(where: {
          $0.isHeld && $0.identity == identity
        })
      else { continue }
      let fresh = FreshNumber.number(
        table: schema.tables[table].name, held: try held.row(entry))
      try move(entry, to: fresh, &result)
      try moveChildren(of: table, number, to: fresh, except: written, &result)
      isMoved = true
    }
    return isMoved
  }

  private func move(
    _ entry: HeldTable.Entry, to fresh: Int64, _ result: inout ByteBuffer
  ) throws {
    let table = schema.tables[entry.identity.table]
    var row = try held.row(entry)
    row[table.shape.keys[0].column] = .integer(fresh)
    try put(row, in: entry.identity.table, insteadOf: entry, goesOn: true)
    try appendInsert(row, table, &result)
  }

  /// Held rows that refer to a moved one follow it.
  private func moveChildren(
    of parent: Int, _ number: Int64, to fresh: Int64, except written: Set<RowIdentity>,
    _ result: inout ByteBuffer
  ) throws {
    let key = schema.tables[parent].shape.keys[0].column
    for (child, position) in constraints.referring[parent] {
      let reference = constraints.references[child][position]
      guard let place = reference.parentPositions?.firstIndex(of: key) else { continue }
      let column = reference.childColumns[place]
      let table = schema.tables[child]
      for entry in try held.entries(of: [child])
      where entry.isHeld && !written.contains(entry.identity) {
        var row = try held.row(entry)
        guard row[column] == .integer(number) else { continue }
        let old = row
        row[column] = .integer(fresh)
        try put(row, in: child, insteadOf: entry)
        if table.shape.keys.contains(where: { $0.column == column }) {
          result.appendChangeHead(.delete, shape: shapeNumbers[table.name] ?? 0)
          for value in table.key(of: old) { result.append(value) }
          try appendInsert(row, table, &result)
        } else {
          appendUpdate(row, column, table, &result)
        }
      }
    }
  }

  /// Holds a row in the place of another, from now on.
  ///
  /// - Parameter goesOn: another row lives under the key already, and goes on with the claims that it
  ///   shares.
  private func put(
    _ row: [Value], in number: Int, insteadOf entry: HeldTable.Entry, goesOn: Bool = false
  ) throws {
    let table = schema.tables[number]
    let old = entry.identity
    let conflicts = ConflictTable(connection)
    for conflict in try conflicts.conflicts(of: table.name, row: old.key)
    where conflict.isHeld {
      try conflicts.end(conflict.id, milliseconds: author.time.milliseconds)
    }
    let identity = try table.identity(row, number: number)
    let isSame = identity == old
    let claims = ClaimTable(connection, schema: schema)
    let known = try claims.claims(of: old)
    if !goesOn { try claims.replace(old, with: [:]) }
    try held.remove(old)
    try held.put(
      HeldTable.Entry(
        identity: identity, isHeld: true,
        cells: zip(table.shape.columns, row).map { Conflict.Cell(column: $0, value: $1) }))
    let subjects = try constraints.subjects(of: row, table: number)
    try claims.replace(
      identity,
      with: Dictionary(
        uniqueKeysWithValues: subjects.map { ($0, isSame ? known[$0] ?? author : author) }))
  }

  private func appendInsert(
    _ row: [Value], _ table: TableDescription, _ result: inout ByteBuffer
  ) throws {
    result.appendChangeHead(.insert, shape: shapeNumbers[table.name] ?? 0)
    for value in row { result.append(value) }
  }

  private func appendUpdate(
    _ row: [Value], _ changed: Int, _ table: TableDescription, _ result: inout ByteBuffer
  ) {
    result.appendChangeHead(.update, shape: shapeNumbers[table.name] ?? 0)
    let keys = Set(table.shape.keys.map(\.column))
    for column in row.indices {
      // Rows that are merged as a whole are said as a whole.
      let isSaid =
        keys.contains(column) || column == changed
        || table.mergesByRow && table.policies[column] != .counter
      if isSaid { result.append(row[column]) } else { result.appendAbsent(count: 1) }
    }
  }
}
