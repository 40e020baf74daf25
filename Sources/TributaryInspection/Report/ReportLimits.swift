/// The limits of a report, so that neither collecting it nor viewing it grows with the logs.
///
/// What exceeds a limit is still counted.
package struct ReportLimits: Sendable {
  /// The number of newest transactions that the report contains individually; older ones are added
  /// up.
  package var transactions = 200_000
  /// The number of increases of knowledge by these, in total; if there are more, the report
  /// contains fewer transactions individually.
  package var rises = 2_000_000
  /// The number of sums of older transactions, by peer and time.
  package var buckets = 10_000
  /// The number of sums of all transactions, by time.
  package var days = 2_000
  /// The number of newest concurrent writes.
  package var conflicts = 1_000
  /// The number of first findings, gaps, and waiting transactions.
  package var findings = 1_000
  /// The number of tables by name.
  package var tables = 1_000
  /// The number of tables of one transaction, those with most changes.
  package var tablesOfTransaction = 8
  /// The number of peers that have no log and are only mentioned.
  package var mentionedPeers = 10_000

  package init() {}
}
