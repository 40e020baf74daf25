package import TributaryCore

/// The latest horizon that all members may promise by what their receipts say.
package enum QuietHorizon {
  /// Returns the largest part of what all members have, such that whatever one of them has beyond it knows all
  /// of it.
  ///
  /// There is one largest such part: it is what is left when everything is taken away that some transaction
  /// beyond did not know, until nothing more must be.
  ///
  /// - Parameters:
  ///   - receipts: what each member has imported and made.
  ///   - limit: what the horizon may contain at most, such as what is older than a day.
  ///   - history: calls its argument with the transactions of the union of the receipts that are not in the
  ///     knowledge that it is given.
  /// - Complexity: O(*r* · *t*) for *t* transactions beyond the result and *r* rounds, mostly two.
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
