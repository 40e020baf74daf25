/// What this process keeps for its own claims and presenters.
struct LocalCoordination {
  var waiters: [UInt64: Waiter] = [:]
  var presenters: [UInt64: PresenterQueue] = [:]
  /// Claims whose end could not be recorded yet.
  var unfinished: [(claim: UInt64, changes: [ItemChange])] = []

  /// Whether there is something to check from time to time.
  var isWaiting: Bool { !waiters.isEmpty || !unfinished.isEmpty }

  mutating func endUnfinished(in table: inout CoordinationTable) {
    for (claim, changes) in unfinished { table.end(claim, changes: changes) }
    unfinished = []
  }

  /// Removes and returns the waiters whose claims are granted.
  mutating func takeGranted(in table: CoordinationTable) -> [(Waiter, Claim)] {
    if waiters.isEmpty { return [] }
    return table.claims.compactMap { claim in
      guard claim.phase == .granted, let waiter = waiters.removeValue(forKey: claim.number) else {
        return nil
      }
      return (waiter, claim)
    }
  }

  /// Returns the claims whose presenters have used up their time, and starts counting the time of others.
  mutating func takeLate(in table: CoordinationTable) -> [UInt64] {
    let now = ContinuousClock.now
    var late: [UInt64] = []
    for claim in table.claims where claim.phase == .asking {
      guard let waiter = waiters[claim.number] else { continue }
      if let deadline = waiter.deadline {
        if deadline <= now { late.append(claim.number) }
      } else {
        waiters[claim.number]!.deadline = now + waiter.patience
      }
    }
    return late
  }

  /// Whether the table has something for this process.
  func isConcerned(by table: CoordinationTable, _ process: String) -> Bool {
    if !unfinished.isEmpty || table.hasMessages(for: process) { return true }
    if waiters.isEmpty { return false }
    return table.claims.contains { $0.phase == .granted && waiters[$0.number] != nil }
  }
}
