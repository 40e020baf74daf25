package import TributaryCore

/// A count of transactions.
package struct ReportTally: Equatable {
  package var transactions = 0
  package var changes = 0
  /// The size of the changes before compression, in bytes.
  package var bytes = 0
  /// The first transaction; zero if there is none.
  package var first = SequenceNumber.zero
  package var last = SequenceNumber.zero

  package init() {}

  package mutating func add(_ sequence: SequenceNumber, changes: Int, bytes: Int) {
    if transactions == 0 { first = sequence }
    last = sequence
    transactions += 1
    self.changes += changes
    self.bytes += bytes
  }

  /// Adds later transactions.
  package mutating func add(_ other: ReportTally) {
    if transactions == 0 { first = other.first }
    last = other.last
    transactions += other.transactions
    changes += other.changes
    bytes += other.bytes
  }
}
