package import TributaryCore

/// The latest horizon that all members may promise according to their receipts.
package enum QuietHorizon {
  /// Returns the largest part of what all members have for which the following holds: every transaction that
  /// any of them has beyond it knows all of it.
  ///
  /// There is exactly one largest such part. It is what is left after repeatedly removing everything that
  /// some transaction beyond it did not know, until nothing more needs to be removed.
  ///
  /// - Parameters:
  ///   - receipts: what each member has imported and made.
  ///   - limit: the most that the horizon may contain, such as what is older than a day.
  ///   - history: calls its argument with the transactions in the union of the receipts that are not in the
  ///     given knowledge.
  /// - Complexity: O(*r* · *t*) for *t* transactions beyond the result and *r* rounds, usually two.
  package static func latest(
    receipts: some Collection<Knowledge>, limit: Knowledge? = nil,
    history: (_ after: Knowledge, _ body: (Antecedents) -> Void) throws -> Void
  ) rethrows -> Knowledge {
    guard var horizon = receipts.first else { return Knowledge() }
    for receipt in receipts { horizon = horizon.intersection(receipt) }
    if let limit { horizon = horizon.intersection(limit) }
    while true {
      var next = horizon
      try history(horizon) { next = next.intersection($0.knowledge) }
      if next == horizon { return horizon }
      horizon = next
    }
  }
}
