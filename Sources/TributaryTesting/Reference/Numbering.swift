internal import TributaryCore

/// An insert under a number.
struct Numbering {
  var name: ReferenceNumber
  var transaction: ReferenceTransaction
  private var change: ReferenceChange

  /// Whether the number was that of a row held for its author.
  var takesOver: Bool

  /// Whether it refers to a row by a number that may mean another row elsewhere.
  private var refersToNumber: Bool

  /// Whether no one gave the row a name that someone else could also give it.
  private var standsAlone: Bool

  init(
    _ change: ReferenceChange, under name: ReferenceNumber, of transaction: ReferenceTransaction,
    _ schema: ReferenceSchema
  ) {
    let table = schema[name.table]
    self.name = name
    self.transaction = transaction
    self.change = change
    takesOver = transaction.changes.contains { $0.announcesTakeover(by: change) }
    // SQLite never gives negative numbers, so equal rows with such a number got it from one row.
    refersToNumber =
      name.number >= 0
      && change.values.contains { column, value in
        value != .null && !table.isKey(column)
          && schema.numberedTable(of: column, in: table) != nil
      }
    // A negative number belongs to one row, wherever it reappears.
    standsAlone = name.number >= 0 && table.keepsEqualRowsApart
  }

  var identity: ReferenceSide { transaction.identity }

  /// The name of the numbering.
  var named: Named { Named(name: name, side: identity) }

  /// A numbering, wherever it is named.
  struct Named: Hashable {
    var name: ReferenceNumber
    var side: ReferenceSide
  }

  /// Whether neither author knew the other numbering.
  func isConcurrent(with other: Numbering) -> Bool {
    identity != other.identity && !transaction.saw(other.transaction)
      && !other.transaction.saw(transaction)
  }

  /// Returns the row's value, at its insert, in a column.
  func value(_ column: String, in table: ReferenceTable) -> Value {
    change.values[column] ?? table.defaults[column] ?? .null
  }

  /// Whether both are numberings of the same row.
  private func isSameRow(as other: Numbering) -> Bool {
    if takesOver || other.takesOver { return false }
    let areAdopted = transaction.stamp.time == .zero && other.transaction.stamp.time == .zero
    // Copies of one database have the same rows under the same numbers.
    if standsAlone { return areAdopted && change == other.change }
    return areAdopted || change == other.change && !refersToNumber
  }

  /// Whether they collide by accident.
  func isAccident(with other: Numbering) -> Bool {
    !transaction.saw(other.transaction) && !other.transaction.saw(transaction)
      && !isSameRow(as: other)
  }

  /// Whether the author of a transaction had it, or made it in that transaction.
  func isBefore(_ transaction: ReferenceTransaction) -> Bool {
    identity == transaction.identity || transaction.saw(self.transaction)
  }
}

extension ReferenceChange {
  /// Whether it announces that an insert takes the number of a held row: an update of the same row
  /// that sets nothing.
  fileprivate func announcesTakeover(by insert: ReferenceChange) -> Bool {
    operation == .update && table == insert.table && key == insert.key && values.isEmpty
  }
}
