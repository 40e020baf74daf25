import TributaryCore
import TributaryLog
import TributarySQLite

/// What happens to other rows when a transaction takes over the numbers of held ones.
struct RowMoves {
  /// The rows that are not visible as they really are, under their new keys.
  var held: Set<RowIdentity> = []
  /// The visible rows, which have not been changed yet.
  var visible: [MovedRow] = []
}

/// A visible row that refers to a held one, and what it becomes after the held row's number is taken over.
///
/// Such a row exists only if references are followed and not enforced.
struct MovedRow {
  var identity: RowIdentity
  /// What it claimed and no longer claims.
  var lost: [ClaimTable.Subject]
  fileprivate var key: [Value]
  /// The row as it was, and as it is after the takeover.
  private(set) var old: [Value]
  private(set) var new: [Value]
  /// The changed values, by stored column.
  fileprivate var changes: [(column: Int, value: Value)] {
    changedColumns.map { ($0, new[$0]) }
  }

  var changedColumns: [Int] { new.indices.filter { !old[$0].hasSameBits(as: new[$0]) } }

  fileprivate init(
    _ identity: RowIdentity, key: [Value], from old: [Value], to new: [Value],
    losing lost: [ClaimTable.Subject]
  ) {
    self.identity = identity
    self.key = key
    self.old = old
    self.new = new
    self.lost = lost
  }

  /// Writes the row. Its triggers fire as in an import. No other row can already have its new value, since
  /// that is a new number.
  func write(_ table: TableDescription, to connection: Connection) throws {
    let terms = changes.map { "\(table.shape.columns[$0.column].quotedIdentifier) = ?" }
    let manner = try WriteManner(table, importingOn: connection)
    let statement = try connection.cached(
      "UPDATE\(manner.clause) main.\(table.name.quotedIdentifier) SET \(terms.joined(separator: ", ")) "
        + "WHERE \(table.keyCondition)")
    try statement.bind(changes.map(\.value) + key)
    try statement.run()
  }
}

/// Makes visible rows follow the held rows to which they refer, when a transaction takes over the numbers of
/// these held rows.
///
/// A number that the transaction itself writes means the new row; a number that existed before still means
/// the held one.
struct LooseRowMoves {
  let connection: Connection
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  let substitution: NumberSubstitution

  private var schema: ReplicatedSchema { constraints.schema }

  /// The columns to which a transaction gives values, by row; `nil` means the whole row.
  private typealias Given = [RowIdentity: Set<Int>?]

  /// Finds the rows that follow.
  ///
  /// - Parameter changes: the net effect of the transaction; it is updated with the new keys of rows.
  /// - Returns: the rows, which have not been changed yet.
  func run(_ changes: inout ByteBuffer) throws -> [MovedRow] {
    guard constraints.hasLooseLinks else { return [] }
    var given: Given = [:]
    var result = ByteBuffer()
    var reader = ChangeListReader(changes.bytes)
    var offset = 0
    while let change = try reader.next(layout: registry.layout) {
      let bytes = UnsafeRawBufferPointer(rebasing: changes.bytes[offset..<reader.offset])
      offset = reader.offset
      try follow(change, bytes, &given, &result)
    }
    let rows = try movedRows(given)
    if !result.bytes.elementsEqual(changes.bytes) { swap(&changes, &result) }
    return rows
  }

  /// Copies a change of a row, under the row's new key.
  private func follow(
    _ change: ChangeView, _ bytes: UnsafeRawBufferPointer, _ given: inout Given,
    _ result: inout ByteBuffer
  ) throws {
    guard let shape = registry.shapes[change.shapeID],
      let number = schema.tableNumber(named: shape.table)
    else { return result.append(bytes) }
    let table = schema.tables[number]
    let key = try shape.key(change.operation, image: change.image)
    let identity = try table.identity(key: key, number: number)
    var cells: [Value?] = []
    if change.operation == .update {
      var cursor = change.values
      for _ in shape.columns { cells.append(try cursor.next().value) }
      given.updateValue(columns(cells, shape, table), forKey: identity)
    } else {
      given.updateValue(nil, forKey: identity)
    }
    let moved = zip(shape.keys, key).map { key, value in
      substituted(value, named: shape.columns[key.column], table, number)
    }
    let stays = zip(key, moved).allSatisfy { $0.hasSameBits(as: $1) }
    switch change.operation {
    case _ where stays: result.append(bytes)
    case .insert: result.append(bytes)
    case .update:
      result.appendChangeHead(.update, shape: change.shapeID)
      for (place, part) in shape.keys.enumerated() { cells[part.column] = moved[place] }
      var absent = 0
      for cell in cells {
        guard let cell else {
          absent += 1
          continue
        }
        result.appendAbsent(count: absent)
        absent = 0
        result.append(cell)
      }
      result.appendAbsent(count: absent)
    case .delete, .replace:
      result.appendChangeHead(.delete, shape: change.shapeID)
      for value in moved { result.append(value) }
      if change.operation == .replace { result.append(bytes) }
    }
  }

  /// Returns the stored columns of the table that an update sets.
  private func columns(
    _ cells: [Value?], _ shape: TableShape, _ table: TableDescription
  ) -> Set<Int> {
    let keys = Set(shape.keys.map(\.column))
    return Set(
      cells.indices.filter { cells[$0] != nil && !keys.contains($0) }.compactMap { column in
        table.shape.columns.firstIndex { SQLName($0) == SQLName(shape.columns[column]) }
      })
  }

  private func substituted(
    _ value: Value, named name: String, _ table: TableDescription, _ number: Int
  ) -> Value {
    table.shape.columns.firstIndex { SQLName($0) == SQLName(name) }
      .map { substitution.value(value, column: $0, of: number) } ?? value
  }

  private func movedRows(_ given: Given) throws -> [MovedRow] {
    var found: [RowIdentity: MovedRow] = [:]
    for number in substitution.tables {
      let table = schema.tables[number]
      for (column, root) in substitution.roots.columns[number] {
        for shared in substitution.numbers.keys where shared.table == root {
          for row in try rows(table, column, shared.number) {
            let identity = try table.identity(row, number: number)
            guard found[identity] == nil, let moved = try moved(row, identity, given) else {
              continue
            }
            found[identity] = moved
          }
        }
      }
    }
    return found.sorted { a, b in
      a.key.table != b.key.table
        ? a.key.table < b.key.table : a.key.key.lexicographicallyPrecedes(b.key.key)
    }.map(\.value)
  }

  /// Returns the visible rows that have a number in a column, as SQLite compares it.
  private func rows(_ table: TableDescription, _ column: Int, _ number: Int64) throws -> [[Value]] {
    let name = "c.\(table.shape.columns[column].quotedIdentifier)"
    let statement = try connection.cached(
      "\(table.selection) WHERE \(name) = ?1 OR \(name) = CAST(?1 AS NUMERIC)")
    defer { statement.reset() }
    try statement.bind([.integer(number)])
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  private func moved(
    _ row: [Value], _ identity: RowIdentity, _ given: Given
  ) throws -> MovedRow? {
    let table = schema.tables[identity.table]
    var own: Set<Int> = []
    if let written = given[identity] {
      guard let written else { return nil }
      own = written
    }
    let new = row.enumerated().map { column, value in
      own.contains(column) ? value : substitution.value(value, column: column, of: identity.table)
    }
    if zip(row, new).allSatisfy({ $0.hasSameBits(as: $1) }) { return nil }
    return MovedRow(
      identity, key: table.key(of: row), from: row, to: new,
      losing: try moveClaims(identity, row, new))
  }

  /// Moves the claims of a row. What it has had all along, it still has under another number.
  private func moveClaims(
    _ old: RowIdentity, _ row: [Value], _ new: [Value]
  ) throws -> [ClaimTable.Subject] {
    let claims = ClaimTable(connection, schema: schema)
    let before = try claims.subjects(of: old)
    if before.isEmpty { return [] }
    let known = try claims.claims(of: old)
    let present = try constraints.subjects(of: row, table: old.table)
    var dates: [ClaimTable.Subject: Conflict.Side?] = [:]
    var kept: [ClaimTable.Subject] = []
    for subject in try constraints.subjects(of: new, table: old.table) {
      guard let same = present.first(where: { $0.name == subject.name }), before.contains(same)
      else { continue }
      dates.updateValue(known[same], forKey: subject)
      kept.append(subject)
    }
    try claims.replace(old, with: [:])
    try claims.replace(
      schema.tables[old.table].identity(new, number: old.table), with: dates)
    return before.filter { !kept.contains($0) }
  }
}
