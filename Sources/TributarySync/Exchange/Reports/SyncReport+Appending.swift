extension SyncReport {
  /// Adds the later report's counts, and takes its description of the present state.
  package mutating func append(_ later: SyncReport) {
    var sum = later
    sum.published.transactions += published.transactions
    sum.published.segments += published.segments
    sum.published.bytes += published.bytes
    sum.baseline = later.baseline ?? baseline
    sum.imported = imported
    sum.imported.append(later.imported)
    sum.renewal = later.renewal ?? renewal
    sum.returned = later.returned ?? returned
    sum.uncaptured = later.uncaptured ?? uncaptured
    self = sum
  }
}
