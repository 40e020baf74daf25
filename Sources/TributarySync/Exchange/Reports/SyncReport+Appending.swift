extension SyncReport {
  /// Adds up what was done, and takes the later report's word for how things stand.
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
