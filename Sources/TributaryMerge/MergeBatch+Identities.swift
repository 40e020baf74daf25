import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns births whose rows may be the same as others, as far as they are not known yet.
  func findEqualBirths() throws -> [Birth] {
    guard isIdentified else { return [] }
    return try newBirths().met.filter { !isKnown($0) }
  }

  private func isKnown(_ birth: Birth) -> Bool {
    registry.births(SharedNumber(table: birth.table, number: birth.number))
      .contains { $0.transaction.side == birth.transaction.side }
  }

  /// Takes notice of a change that the store has, whose row may be the same as a row of the batch.
  func noteEqual(_ change: ChangeView, _ mapping: TableMapping, by author: BatchTransaction) throws
  {
    let table = Int(mapping.tableNumber)
    guard tables[table].isIdentified, change.operation == .insert, try !newBirths().isEmpty,
      let bytes = try identity(of: change.image, mapping, by: author),
      equalBirths?.contains(bytes, table: table) ?? false
    else { return }
    equalBirths?.addExisting(try birth(change.image, mapping, by: author), bytes)
  }

  /// Returns the new births of the batch; it must not get more afterwards.
  private func newBirths() throws -> EqualBirths {
    if let equalBirths { return equalBirths }
    var births = EqualBirths()
    for operation in operations
    where operation.isNew && operation.operation == .insert && operation.transaction >= 0 {
      let mapping = mappings[Int(operation.mapping)]
      guard tables[Int(mapping.tableNumber)].isIdentified else { continue }
      let logged = image(at: operation.loggedStart, count: operation.loggedCount)
      let author = transactions[Int(operation.transaction)]
      if let bytes = try identity(of: logged, mapping, by: author) {
        births.add(
          try birth(logged, mapping, by: author, takesOver: operation.takesOver), bytes)
      }
    }
    equalBirths = births
    return births
  }

  /// Returns what makes an inserted row the same as others; `nil` if nothing does, or if the row comes back
  /// under a number that it got when it had lost its own.
  private func identity(
    of logged: UnsafeRawBufferPointer, _ mapping: TableMapping, by author: BatchTransaction
  ) throws -> [UInt8]? {
    let table = Int(mapping.tableNumber)
    let cells = try cells(logged, mapping)
    let number = cells[schema.tables[table].shape.keys[0].column].integer
    guard !registry.bringsBack(SharedNumber(table: table, number: number)) else { return nil }
    return registry.identity(
      of: Birth(
        table: table, number: number, transaction: author, content: nil,
        identity: try identity(cells, table)), tables)
  }

  /// Returns the values of a row in the columns that make rows the same.
  func identity(_ cells: [ValueView], _ table: Int) throws -> [Value] {
    try schema.tables[table].identifyingColumns.map { key in
      try cells[key.column].value ?? defaults(of: table)[key.column]
    }
  }

  /// Returns the values that a log older than a column implies for it.
  private func defaults(of table: Int) throws -> [Value] {
    if let known = defaultRows[table] { return known }
    let values = try DefaultRow.values(of: schema.tables[table], connection)
    defaultRows[table] = values
    return values
  }
}
