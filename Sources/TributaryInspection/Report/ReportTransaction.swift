package import TributaryCore

/// A transaction that a report has singly.
package struct ReportTransaction {
  /// What of a table it changed.
  package struct Part {
    /// A number of the report's list; `nil` for all tables that are not in it.
    package var table: Int?
    package var counts: ReportChangeCounts
  }

  /// Something that its author did not know before.
  package struct Rise {
    /// A number of the report's list.
    package var peer: Int
    package var sequence: SequenceNumber
  }

  /// A number of the report's list.
  package var peer: Int
  package var sequence: SequenceNumber
  package var time: HybridTime
  /// The tables with most changes first.
  package var parts: [Part]
  package var rises: [Rise]

  package var changes: Int { parts.reduce(0) { $0 + $1.counts.total } }
  package var bytes: Int { parts.reduce(0) { $0 + $1.counts.bytes } }
}
