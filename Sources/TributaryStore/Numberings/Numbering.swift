import TributaryCore

/// An insert that gave a row a number that another row also has, had, or got.
package struct Numbering: Sendable {
  /// The position of the table in the schema.
  package var table: Int
  package var number: Int64
  package var transaction: BatchTransaction
  /// A hash, equal for rows with equal columns. `nil` for a takeover, whose row is never the same as another:
  /// the number belonged to a row that was held for the author.
  package var content: UInt64?
  /// Whether the table's rows identify themselves.
  let standsAlone: Bool
  /// The row's values in the columns that make rows the same, in their order; empty if none are declared.
  let identity: [Value]

  package init(
    table: Int, number: Int64, transaction: BatchTransaction, content: UInt64?,
    standsAlone: Bool = false, identity: [Value] = []
  ) {
    self.identity = identity
    self.standsAlone = standsAlone
    self.table = table
    self.number = number
    self.transaction = transaction
    self.content = content
  }

  package var stamp: Stamp { transaction.stamp }

  package var takesOver: Bool { content == nil }

  var isAdopted: Bool { transaction.side.time == .zero }

  /// Whether both mean the same row: they come from copies of a database, or the rows are equal in
  /// everything.
  ///
  /// If rows identify themselves, both are required: apart from copies, no device gives a row the number of
  /// another. A negative number merely says which row it is.
  func isSameRow(as other: Numbering) -> Bool {
    guard let content, let otherContent = other.content else { return false }
    let areCopies = isAdopted && other.isAdopted
    let areEqual = content == otherContent
    return standsAlone && number >= 0 ? areCopies && areEqual : areCopies || areEqual
  }

  package func isAccident(with other: Numbering) -> Bool {
    !transaction.saw(other.transaction.side) && !other.transaction.saw(transaction.side)
      && !isSameRow(as: other)
  }

  /// Whether neither author knew the other numbering.
  package func isConcurrent(with other: Numbering) -> Bool {
    transaction.side != other.transaction.side && !transaction.saw(other.transaction.side)
      && !other.transaction.saw(transaction.side)
  }

  /// The identity of a numbering.
  package struct Name: Hashable {
    var number: SharedNumber
    var side: Conflict.Side
  }

  package var id: Name { Name(number: name, side: transaction.side) }
}

/// A number that was given to several rows.
package struct SharedNumber: Hashable, Sendable {
  package var table: Int
  package var number: Int64

  package init(table: Int, number: Int64) {
    self.table = table
    self.number = number
  }
}

extension Numbering {
  /// The number that the row was given, with its table.
  var name: SharedNumber { SharedNumber(table: table, number: number) }
}
