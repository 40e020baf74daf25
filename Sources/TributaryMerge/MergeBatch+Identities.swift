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
    equalBirths?.addExisting(try births.birth(change.image, mapping, by: author), bytes)
  }

  /// Returns the new births of the batch; it must not get more afterwards.
  private func newBirths() throws -> EqualBirths {
    if let equalBirths { return equalBirths }
    var equal = EqualBirths()
    for operation in rows.operations
    where operation.isNew && operation.operation == .insert && !operation.takesAway {
      let mapping = mappings[Int(operation.mapping)]
      if tables[Int(mapping.tableNumber)].isIdentified,
        let bytes = try identity(
          of: rows.bytes(operation.logged), mapping,
          by: transactions[Int(operation.transaction)])
      {
        equal.add(try birth(operation), bytes)
      }
    }
    equalBirths = equal
    return equal
  }

  /// Returns what makes an inserted row the same as others; `nil` if nothing does, or if the row comes back
  /// under a number that it got when it had lost its own.
  private func identity(
    of logged: UnsafeRawBufferPointer, _ mapping: TableMapping, by author: BatchTransaction
  ) throws -> [UInt8]? {
    let table = Int(mapping.tableNumber)
    let (number, values) = try births.identity(logged, mapping)
    guard !registry.bringsBack(SharedNumber(table: table, number: number)) else { return nil }
    return registry.identity(
      of: Birth(
        table: table, number: number, transaction: author, content: nil, identity: values),
      tables)
  }
}
