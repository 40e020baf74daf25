import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns further births under one number that met by accident, or under a number where others
  /// have. The batch must then be put together anew, with these.
  public func findAccidents() throws -> [Birth] {
    var found: [Birth] = []
    for row in rows.indices where roots.generates[Int(index.table(row))] {
      var number = rows[row].first
      guard number >= 0,
        hasBirths || operations[Int(number)].next >= 0 || operations[Int(number)].takesOver
      else { continue }
      var births: [Int64: [Birth]] = [:]
      while number >= 0 {
        let operation = operations[Int(number)]
        if operation.operation == .insert, operation.transaction >= 0 {
          let birth = try birth(operation)
          if !registry.bringsBack(SharedNumber(table: birth.table, number: birth.number)) {
            births[birth.number, default: []].append(birth)
          }
        }
        number = operation.next
      }
      for births in births.values { found += accidents(among: births) }
    }
    // Those that met under a number may have equal values, too.
    let known = Set(found.map(\.id))
    return found + (try findEqualBirths()).filter { !known.contains($0.id) }
  }

  /// Returns those of the births under one number, of one row, that are not known yet and matter.
  private func accidents(among births: [Birth]) -> [Birth] {
    let known = registry.births(SharedNumber(table: births[0].table, number: births[0].number))
    let fresh = births.filter { birth in
      !known.contains { $0.transaction.side == birth.transaction.side }
    }
    // If one was displaced, each later birth determines which row those mean who have seen it.
    return !known.isEmpty || fresh.contains(where: \.takesOver)
      || fresh.contains(where: { birth in births.contains { $0.isAccident(with: birth) } })
      ? fresh : []
  }

  private func birth(_ operation: RowOperation) throws -> Birth {
    // As it was written: the meaning of its numbers may change.
    try birth(
      image(at: operation.loggedStart, count: operation.loggedCount),
      mappings[Int(operation.mapping)], by: transactions[Int(operation.transaction)],
      takesOver: operation.takesOver)
  }

  /// Returns the values of a row by the columns here.
  func cells(_ logged: UnsafeRawBufferPointer, _ mapping: TableMapping) throws -> [ValueView] {
    let count = mapping.table.shape.columns.count
    var cells = Array(repeating: ValueView.absent, count: count)
    var cursor = ImageCursor(logged)
    for source in 0..<mapping.sourceColumnCount {
      cells[mapping.columns[source]] = try cursor.next()
    }
    return cells
  }

  func birth(
    _ logged: UnsafeRawBufferPointer, _ mapping: TableMapping, by transaction: BatchTransaction,
    takesOver: Bool = false
  ) throws -> Birth {
    let table = Int(mapping.tableNumber)
    let cells = try cells(logged, mapping)
    if takesOver {
      return Birth(
        table: table, number: try mapping.rowNumber(logged) ?? 0, transaction: transaction,
        content: nil, identity: try identity(cells, table))
    }
    var content = ByteBuffer()
    for cell in cells { content.append(cell) }
    // Equal numbers of other rows need not mean the same rows. SQLite gives no negative numbers, so equal
    // rows have such a number from one row.
    let key = schema.tables[table].shape.keys[0].column
    let side = transaction.side
    let standsAlone = schema.tables[table].keepsEqualRowsApart
    if cells[key].integer >= 0, !standsAlone,
      roots.columns[table].contains(where: {
        $0.column != key && cells[$0.column].kind != .null
      })
    {
      content.append(Value.blob(side.peer.bytes))
      content.append(Value.integer(Int64(side.sequence.rawValue)))
    }
    return Birth(
      table: table, number: cells[schema.tables[table].shape.keys[0].column].integer,
      transaction: transaction, content: SegmentHash.hash(content.bytes),
      standsAlone: standsAlone, identity: try identity(cells, table))
  }
}
