package import TributaryContainer
package import TributaryCore

/// What `tributary log report` shows: what is in logs, who knows what of it, and what is wrong.
package struct LogReport {
  package var title = ""
  /// What the filter leaves in, in words; empty when it is everything.
  package var filter = ""
  /// When it was made, in milliseconds since 1970.
  package var time: UInt64 = 0
  /// What was asked for.
  package var paths: [String] = []
  /// The content names, in the order in which they were met.
  package var contents: [String] = []
  package var peers: [ReportPeer] = []
  package var tables: [ReportTable] = []
  /// Changes of tables that are not in the list.
  package var otherTables = ReportChangeCounts()
  /// All transactions.
  package var total = ReportTally()
  /// The newest ones, in order of stamp.
  package var transactions: [ReportTransaction] = []
  /// The older ones, by peer and time.
  package var older = ReportBuckets(width: 60_000, limit: 0)
  /// All of them, by time alone.
  package var growth = ReportBuckets(width: 86_400_000, limit: 0)
  package var conflicts: [ReportConflict] = []
  /// All concurrent writes, by kind.
  package var conflictCounts: [ReportConflict.Kind: Int] = [:]
  package var findings: [LogFinding] = []
  package var findingCount = 0
  package var gaps: [(peer: Int, missing: ClosedRange<SequenceNumber>)] = []
  package var gapCount = 0
  package var waits: [ReportWait] = []
  package var waitCount = 0

  package init() {}

  package var fileCount: Int { peers.reduce(0) { $0 + $1.segmentCount } }
  package var fileBytes: UInt64 { peers.reduce(0) { $0 + $1.fileBytes } }
}
