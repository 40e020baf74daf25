package import TributaryCore

/// A transaction that a report contains individually.
package struct ReportTransaction {
  /// The changes of one table.
  package struct Part {
    /// The table's number in the report; `nil` for all tables that are not listed.
    package var table: Int?
    package var counts: ChangeTally
  }

  /// Something that its author did not know before.
  package struct Rise {
    /// The peer's number in the report.
    package var peer: Int
    package var sequence: SequenceNumber
  }

  /// The author's number in the report.
  package var peer: Int
  package var sequence: SequenceNumber
  package var time: HybridTime
  /// The parts, those with most changes first.
  package var parts: [Part]
  package var rises: [Rise]

  package var changes: Int { parts.reduce(0) { $0 + $1.counts.changeCount } }
  package var bytes: Int { parts.reduce(0) { $0 + $1.counts.byteCount } }
}
