package import TributaryCore

/// A transaction that cannot be imported before another one that is not here.
package struct ReportWait: Equatable {
  /// Whose transactions wait, from this one on; a number of the report's list.
  package var peer: Int
  package var sequence: SequenceNumber
  /// What they wait for.
  package var cause: Int
  package var causeSequence: SequenceNumber
}
