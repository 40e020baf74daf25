package import TributaryCore
package import TributaryReplay

/// The contents of `tributary log report`: what is in logs, which peer knows what, and what is
/// wrong.
package struct LogReport {
  package var title = ""
  /// The filter in words; empty if it accepts everything.
  package var filter = ""
  /// When the report was made, in milliseconds since 1970.
  package var time: UInt64 = 0
  /// The requested paths.
  package var paths: [String] = []
  /// The content names, in the order in which they were met.
  package var contents: [String] = []
  package var peers: [ReportPeer] = []
  package var tables: [ReportTable] = []
  /// The changes of tables that are not in the list.
  package var otherTables = ChangeTally()
  /// All transactions.
  package var total = ReportTally()
  /// The newest transactions, in order of stamp.
  package var transactions: [ReportTransaction] = []
  /// The older transactions, by peer and time.
  package var older = ReportBuckets(width: 60_000, limit: 0)
  /// All transactions, by time alone.
  package var growth = ReportBuckets(width: 86_400_000, limit: 0)
  package var conflicts: [ReportConflict] = []
  /// The number of all concurrent writes, by kind.
  package var conflictCounts: [ReportConflict.Kind: Int] = [:]
  package var findings: [LogFinding] = []
  package var findingCount = 0
  package var gaps: [(peer: Int, missing: ClosedRange<SequenceNumber>)] = []
  package var gapCount = 0
  /// The baseline with which the history begins; `nil` if it begins with the first transactions.
  package var beginning: LogBaseline?
  package var waits: [ReportWait] = []
  package var waitCount = 0

  package init() {}

  package var fileCount: Int { peers.reduce(0) { $0 + $1.segmentCount } }
  package var fileBytes: UInt64 { peers.reduce(0) { $0 + $1.fileBytes } }
}
