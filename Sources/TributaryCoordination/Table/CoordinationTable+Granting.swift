extension CoordinationTable {
  /// Adds a claim after the existing ones.
  ///
  /// - Returns: its number.
  /// - Throws: `CoordinationError` with the code `deadlock` if it would wait for a claim that waits for it.
  ///   The table is then unchanged.
  package mutating func add(_ claim: Claim) throws(CoordinationError) -> UInt64 {
    var claim = claim
    let before = next
    claim.number = takeNumber()
    claims.append(claim)
    let graph = ClaimGraph(self)
    let index = claims.count - 1
    if !graph.blockers(of: index).isEmpty, let circle = graph.circle(from: index) {
      let error = CoordinationError.deadlock(claim, waitingFor: circle.map { holder(claims[$0]) })
      claims.removeLast()
      next = before
      throw error
    }
    return claim.number
  }

  /// Grants what can be granted, and asks the presenters that must be asked first.
  package mutating func advance() {
    let conflicts = ClaimGraph.conflicts(claims)
    while let (index, phase) = nextStep(ClaimGraph(self, conflicts: conflicts)) {
      claims[index].phase = phase
      guard phase == .asking else { continue }
      claims[index].turn = takeNumber()
      if !ask(for: index) { claims[index].phase = .granted }
    }
  }

  /// Returns the first claim that can proceed, and how.
  private func nextStep(_ graph: ClaimGraph) -> (index: Int, phase: Claim.Phase)? {
    let asking = Set(messages.lazy.filter(\.kind.needsAnswer).map(\.claim))
    for (index, claim) in claims.enumerated() {
      switch claim.phase {
      case .waiting where graph.blockers(of: index).isEmpty: return (index, .asking)
      case .asking where !asking.contains(claim.number) && graph.holders(besides: index).isEmpty:
        return (index, .granted)
      default: continue
      }
    }
    return nil
  }

  /// Returns the process that holds or wants the items of a claim.
  package func holder(_ claim: Claim) -> CoordinationError.Holder {
    let process = processes.first { $0.identity == claim.process }
    return CoordinationError.Holder(
      process: process?.number ?? 0, program: process?.name ?? "", purpose: claim.purpose,
      paths: claim.items.map(\.path), isWriting: claim.items.contains(where: \.access.isWriting),
      isWaiting: claim.phase == .waiting)
  }
}
