package import TributaryCore

/// Two writes of one row whose authors did not know each other's write.
package struct ReportConflict: Equatable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Different values of one column; the earlier write was an update.
    case update
    /// Different values under one key; the earlier write was an insert.
    case insert
    /// One author deleted the row that the other wrote.
    case delete
    /// Two devices gave the same number to two rows. In a table that numbers its rows itself, one
    /// of them moves to another number, and nothing is lost.
    case number
  }

  package struct Side: Equatable {
    /// The peer's number in the report.
    package var peer: Int
    package var sequence: SequenceNumber
  }

  package var kind: Kind
  /// The table's number in the report; `nil` for a table that is not listed.
  package var table: Int?
  /// The key as JSON, with long values cut off.
  package var key: String
  /// The columns with different values, at most eight; none for a deletion.
  package var columns: [String]
  package var winner: Side
  package var loser: Side
  /// The time of the later write, in milliseconds.
  package var time: UInt64
  /// Whether an author who knew the loser has written the same later.
  package var isAnswered = false
}
