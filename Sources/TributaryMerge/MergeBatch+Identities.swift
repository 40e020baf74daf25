import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns numberings whose rows may be the same as others, except those that are already known.
  func findEqualNumberings() throws -> [Numbering] {
    guard isIdentified || hasMarks else { return [] }
    return try newNumberings().met.filter { !isKnown($0) }
  }

  /// Whether rows that a transaction inserts may be the same as rows of other transactions.
  private func mayBeSame(_ table: Int, _ author: BatchTransaction) -> Bool {
    tables[table].isIdentified
      || author.mark != nil && tables[table].comparesMigrations && roots.generates[table]
  }

  private func isKnown(_ numbering: Numbering) -> Bool {
    registry.numberings(SharedNumber(table: numbering.table, number: numbering.number))
      .contains { $0.transaction.side == numbering.transaction.side }
  }

  /// Takes account of a change that the store has, whose row may be the same as a row of the batch.
  func noteEqual(_ change: ChangeView, _ mapping: TableMapping, by author: BatchTransaction) throws
  {
    let table = Int(mapping.tableNumber)
    guard mayBeSame(table, author), change.operation == .insert, try !newNumberings().isEmpty,
      let bytes = try identity(of: change.image, mapping, by: author),
      equalNumberings?.contains(bytes, table: table) ?? false
    else { return }
    equalNumberings?.addExisting(try numberings.numbering(change.image, mapping, by: author), bytes)
  }

  /// Returns the new numberings of the batch; no more may be added to it afterwards.
  private func newNumberings() throws -> EqualNumberings {
    if let equalNumberings { return equalNumberings }
    var equal = EqualNumberings()
    for operation in rows.operations
    where operation.isNew && operation.operation == .insert && !operation.takesAway {
      let mapping = mappings[Int(operation.mapping)]
      let author = transactions[Int(operation.transaction)]
      if mayBeSame(Int(mapping.tableNumber), author),
        let bytes = try identity(of: rows.bytes(operation.logged), mapping, by: author)
      {
        equal.add(try numbering(operation), bytes)
      }
    }
    equalNumberings = equal
    return equal
  }

  /// Returns the values that make an inserted row the same as others; `nil` if there are none, or if the row
  /// comes back under a number that it got when it had lost its own.
  private func identity(
    of logged: UnsafeRawBufferPointer, _ mapping: TableMapping, by author: BatchTransaction
  ) throws -> [UInt8]? {
    let table = Int(mapping.tableNumber)
    let (number, values) = try numberings.identity(logged, mapping, mark: author.mark)
    guard !registry.bringsBack(SharedNumber(table: table, number: number)) else { return nil }
    return registry.identity(
      of: Numbering(
        table: table, number: number, transaction: author, content: nil, identity: values),
      tables)
  }
}
