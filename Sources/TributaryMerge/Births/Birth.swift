import TributaryCore
import TributaryStore

/// An insert that gave a row a number which another row got too, on a device that did not know.
public struct Birth: Sendable {
  /// A position among the tables of the schema.
  public var table: Int
  public var number: Int64
  public var transaction: BatchTransaction
  /// A hash, equal for rows with equal columns.
  public var content: UInt64

  package init(table: Int, number: Int64, transaction: BatchTransaction, content: UInt64) {
    self.table = table
    self.number = number
    self.transaction = transaction
    self.content = content
  }

  public var stamp: Stamp { transaction.stamp }

  var isAdopted: Bool { transaction.side.time == .zero }

  /// Whether both mean one row: copies of a database, or rows that are equal in everything.
  func isSameRow(as other: Birth) -> Bool {
    isAdopted && other.isAdopted || content == other.content
  }

  func isAccident(with other: Birth) -> Bool {
    !transaction.saw(other.transaction.side) && !other.transaction.saw(transaction.side)
      && !isSameRow(as: other)
  }
}

/// A number that several rows were given.
struct SharedNumber: Hashable, Sendable {
  var table: Int
  var number: Int64
}
