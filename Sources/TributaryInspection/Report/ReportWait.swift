package import TributaryCore

/// A transaction that cannot be imported before another one that is missing.
package struct ReportWait: Equatable {
  /// The number, in the report, of the peer whose transactions wait, from this one on.
  package var peer: Int
  package var sequence: SequenceNumber
  /// The peer that they wait for.
  package var cause: Int
  package var causeSequence: SequenceNumber
}
