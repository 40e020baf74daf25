/// How much a report holds, so that neither collecting it nor looking at it grows with the logs.
///
/// What is beyond a limit is still counted.
package struct ReportLimits: Sendable {
  /// The newest transactions are in the report singly, so many of them; older ones as sums.
  package var transactions = 200_000
  /// What these newly knew, in all; where that is more, fewer transactions are there singly.
  package var rises = 2_000_000
  /// Sums of older transactions, by peer and time.
  package var buckets = 10_000
  /// Sums of all transactions by time.
  package var days = 2_000
  /// The newest concurrent writes.
  package var conflicts = 1_000
  /// The first findings, gaps, and transactions that wait.
  package var findings = 1_000
  /// Tables by name.
  package var tables = 1_000
  /// The tables of one transaction that changed most.
  package var tablesOfTransaction = 8
  /// Peers that have no log and are only heard of.
  package var mentionedPeers = 10_000

  package init() {}
}
