import TributaryCore
import TributaryLog
import TributarySQLite

/// Lets new rows have the numbers of held rows. SQLite assigns these numbers again, because it does not see
/// rows that are out of their table, and continues counting from the largest number that it sees.
///
/// From then on, the takeover alone determines where the held rows are. The log announces it before the
/// insert, with an update that sets nothing, and contains nothing else about the held rows.
struct HeldRowMoves {
  let connection: Connection
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  /// The transaction being committed.
  let author: BatchTransaction

  private var schema: ReplicatedSchema { constraints.schema }
  private var held: HeldTable { HeldTable(connection, schema: schema) }

  /// Records what happens to held rows through the changes of the transaction.
  ///
  /// - Parameter changes: the changes; they are updated with the new keys of rows.
  /// - Parameter result: receives the changes with takeovers announced, if there are any.
  /// - Returns: the rows that must be decided about, or written.
  func run(
    _ changes: inout ByteBuffer, into result: inout ByteBuffer, milliseconds: UInt64
  ) throws -> RowMoves {
    let identities = try takenNumbers(changes.bytes)
    if identities.isEmpty { return RowMoves() }
    let taken = Array(identities.keys)
    let numberings = NumberingTable(connection, schema: schema)
    let tables = constraints.numberedTables
    let known = NumberingRegistry(try numberings.all(), tables: tables)
    // A fresh number means its own row; inserting that again is refused.
    let numbers = try known.numbers(
      of: taken.filter { !known.isFresh($0) }, afterTakeoverBy: author, tables: tables,
      isThere: NumberTraces(connection: connection, constraints: constraints).exist)
    if numbers.isEmpty { return RowMoves() }
    if try !NumberingTable.isUsed(connection) {
      // No row that was inserted here until now has collided with another.
      try Settings(connection).set(.numberings, .integer(Int64(author.side.sequence.rawValue)))
    }
    try numberings.insert(
      numbers.keys.map {
        Numbering(
          table: $0.table, number: $0.number, transaction: author, content: nil,
          identity: identities[$0] ?? [])
      })
    let substitution = NumberSubstitution(roots: KeyRoots(constraints), numbers: numbers)
    let visible = try LooseRowMoves(
      connection: connection, constraints: constraints, registry: registry,
      substitution: substitution
    ).run(&changes)
    try announce(numbers, changes.bytes, &result)
    try moveConflicts(substitution, milliseconds)
    return RowMoves(held: try moveRows(substitution), visible: visible)
  }

  /// Returns the numbers of held rows under which there are new rows, with the values that make these the
  /// same as others.
  private func takenNumbers(
    _ changes: UnsafeRawBufferPointer
  ) throws -> [SharedNumber: [Value]] {
    var numbers: [SharedNumber: [Value]] = [:]
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let (number, key) = try insertedNumber(change) else { continue }
      let table = schema.tables[number.table]
      let row = try table.identity(key: key, number: number.table)
      if try held.entry(row)?.isHeld ?? false {
        numbers[number] = try identity(of: change, table)
      }
    }
    return numbers
  }

  /// Returns the values of an inserted row in the columns that make rows the same.
  private func identity(of change: ChangeView, _ table: TableDescription) throws -> [Value] {
    guard let shape = registry.shapes[change.shapeID] else { return [] }
    if let mark = author.mark, table.identifiesMigratedRows {
      return try migratedIdentity(of: change, shape, mark)
    }
    guard !table.identifyingColumns.isEmpty else { return [] }
    var values: [SQLName: Value] = [:]
    var cursor = change.values
    for name in shape.columns { values[SQLName(name)] = try cursor.next().value }
    return table.identifyingColumns.map { values[SQLName(table.shape.columns[$0.column])] ?? .null }
  }

  /// Returns the values that make a row inserted by a migration the same as others, as they are read from
  /// logs.
  private func migratedIdentity(
    of change: ChangeView, _ shape: TableShape, _ mark: String
  ) throws -> [Value] {
    var cursor = change.values
    var cells: [(name: String, value: Value)] = []
    for (column, name) in shape.columns.enumerated() {
      let value = try cursor.next().value ?? .null
      if column == shape.keys[0].column { continue }
      cells.append((schema.names.firstName(ofColumn: name, of: shape.table), value))
    }
    cells.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return [.string(mark)] + cells.flatMap { [.string($0.name), $0.value] }
  }

  private func insertedNumber(_ change: ChangeView) throws -> (SharedNumber, [Value])? {
    guard change.operation == .insert, let shape = registry.shapes[change.shapeID],
      let table = schema.tableNumber(named: shape.table),
      schema.tables[table].numbersItsRows
    else { return nil }
    let key = try shape.key(change.operation, image: change.image)
    guard case .integer(let number) = key[0] else { return nil }
    return (SharedNumber(table: table, number: number), key)
  }

  /// Copies the changes, adding an update that sets nothing before each takeover.
  private func announce(
    _ numbers: [SharedNumber: Int64], _ changes: UnsafeRawBufferPointer,
    _ result: inout ByteBuffer
  ) throws {
    var reader = ChangeListReader(changes)
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      if let (number, key) = try insertedNumber(change), numbers[number] != nil,
        let shape = registry.shapes[change.shapeID]
      {
        let place = shape.keys[0].column
        result.appendChangeHead(.update, shape: change.shapeID)
        result.appendAbsent(count: place)
        result.append(key[0])
        result.appendAbsent(count: shape.columns.count - place - 1)
      }
      result.append(UnsafeRawBufferPointer(rebasing: changes[offset..<reader.offset]))
      offset = reader.offset
    }
  }

  // MARK: What is written down here

  /// Moves the records of rows whose tables do not show them as they really are.
  private func moveRows(_ substitution: NumberSubstitution) throws -> Set<RowIdentity> {
    var moved: Set<RowIdentity> = []
    let claims = ClaimTable(connection, schema: schema)
    for number in substitution.tables {
      let table = schema.tables[number]
      for entry in try held.entries(of: [number]) {
        let key = substitution.key(try table.keyValues(entry.identity.key), table, number: number)
        let identity = try table.identity(key: key, number: number)
        let cells = substitution.cells(entry.cells, table, number: number)
        if identity == entry.identity, cells == entry.cells { continue }
        let new = HeldTable.Entry(identity: identity, isHeld: entry.isHeld, cells: cells)
        let dates = try dates(entry, of: row(new, table), claims)
        try held.remove(entry.identity)
        try claims.replace(entry.identity, with: [:])
        try held.put(new)
        try claims.replace(identity, with: dates)
        moved.insert(identity)
      }
    }
    return moved
  }

  /// Returns the row as it really is, whatever its table shows; `nil` if it no longer exists.
  private func row(_ entry: HeldTable.Entry, _ table: TableDescription) throws -> [Value]? {
    if entry.isHeld { return try held.row(entry) }
    return try RowReader(table).row(table.keyValues(entry.identity.key), in: connection)
      .map { table.row($0, with: entry.cells) }
  }

  /// Returns since when a row has had its claims and references; a move does not change that.
  private func dates(
    _ entry: HeldTable.Entry, of row: [Value]?, _ claims: ClaimTable
  ) throws -> [ClaimTable.Subject: Conflict.Side?] {
    guard let row else { return [:] }
    let known = try claims.claims(of: entry.identity)
    let before = try claims.subjects(of: entry.identity)
    var dates: [ClaimTable.Subject: Conflict.Side?] = [:]
    for subject in try constraints.subjects(of: row, table: entry.identity.table) {
      guard let old = before.first(where: { $0.name == subject.name }) else { continue }
      dates.updateValue(known[old], forKey: subject)
    }
    return dates
  }

  private func moveConflicts(
    _ substitution: NumberSubstitution, _ milliseconds: UInt64
  ) throws {
    let table = ConflictTable(connection)
    let concerned = Set(substitution.tables)
    for conflict in try table.conflicts() {
      guard
        let number = schema.tables.firstIndex(where: {
          SQLName($0.name) == SQLName(conflict.table)
        }), concerned.contains(number)
      else { continue }
      let description = schema.tables[number]
      var new = conflict
      new.key = substitution.key(conflict.key, description, number: number)
      new.values = substitution.cells(conflict.values, description, number: number)
      if new == conflict { continue }
      let old = try description.identity(key: conflict.key, number: number)
      let identity = try description.identity(key: new.key, number: number)
      if identity != old {
        try table.end(conflict, row: old.key, milliseconds: milliseconds)
        new.id = new.identifier(of: description, row: identity.key)
      }
      try table.put(new, row: identity.key)
    }
  }
}

extension Conflict {
  /// Returns the identifier that distinguishes the conflict from others under that key.
  fileprivate func identifier(of description: TableDescription, row: [UInt8]) -> String {
    Conflict.identifier(
      table: description.lastingName, key: row, kind: kind, loser: loser,
      columns: kind.isAboutCells || isHeld ? [] : values.map(\.column))
  }
}
