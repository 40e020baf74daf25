package import TributaryCore

/// Two writes of one row of which neither author knew the other.
package struct ReportConflict: Equatable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Different values of one column; the earlier one was an update.
    case update
    /// Different values under one key; the earlier one was an insert.
    case insert
    /// One deleted the row that the other wrote.
    case delete
    /// Two rows were given one number, each by its device: where the table numbers its rows itself,
    /// one of them moves to another number and nothing is lost.
    case number
  }

  package struct Side: Equatable {
    /// A number of the report's list.
    package var peer: Int
    package var sequence: SequenceNumber
  }

  package var kind: Kind
  /// A number of the report's list; `nil` for a table that is not in it.
  package var table: Int?
  /// As JSON, long values cut off.
  package var key: String
  /// The columns with different values, at most eight; none for a deletion.
  package var columns: [String]
  package var winner: Side
  package var loser: Side
  /// When the later of the two was made, in milliseconds.
  package var time: UInt64
  /// Somebody who knew the loser has written the same later.
  package var isAnswered = false
}
