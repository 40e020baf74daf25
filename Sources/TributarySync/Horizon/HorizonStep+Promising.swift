import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryReplay
import TributaryStore

/// Handles what is not declared yet: promises what others propose, and proposes.
extension HorizonStep {
  /// Promises the last of the others' proposals that it may promise (rule 6).
  mutating func promiseOthers() throws {
    let proposals = facts.declarations.values.filter { proposal in
      !facts.isDeclared(proposal) && proposal.members.contains(own)
        && !record.state.promises.contains(proposal)
        && !record.state.dropped.contains(proposal.identifier)
        && record.state.last.map { proposal.follows($0) } ?? true
        && baselines.allSatisfy { $0.header.declaration != proposal }
        && !proposal.members.contains { exchange.manifests.all[$0]?.refusesDeclarations ?? false }
    }
    // If one came after what is declared, those who have declared that would have to come back, and may have
    // forgotten what they would issue again.
    guard try !proposals.isEmpty && laterDeclared() == nil else { return }
    let active = try HorizonMembers(exchange, patience: policy.patience).active
    for proposal in proposals.sorted(by: >) {
      // This is courtesy: a peer that is left out would have to come back.
      if !active.isSubset(of: proposal.members), try !isOld(proposal) { continue }
      if try promise(proposal, LoggedHeads(exchange)) { return }
    }
  }

  /// Whether a proposal, or a declaration, has been here for so long that it need not wait for any peer.
  /// Records when it was first seen.
  mutating func isOld(_ proposal: Declaration) throws -> Bool {
    try isOld(proposal.identifier)
  }

  private mutating func isOld(_ identifier: UInt64) throws -> Bool {
    if policy.courtesy == 0 || reseeds { return true }
    if let seen = notes.seen[identifier] {
      return HorizonNotes.hasPassed(policy.courtesy, since: seen, now)
    }
    var newNotes = notes
    newNotes.seen[identifier] = now
    try save(record, newNotes)
    return false
  }

  /// Whether others obey a declaration of which a baseline may still arrive.
  private mutating func awaitsDeclared() throws -> Bool {
    try unknown.sorted().contains { try !isOld($0) }
  }

  /// Promises a declaration, if the rules allow it.
  mutating func promise(_ declaration: Declaration, _ heads: LoggedHeads) throws -> Bool {
    // Nobody else would have to promise this, so the same holds.
    if declaration.members == [own], try laterDeclared() != nil || awaitsDeclared() { return false }
    // What the store lacks is known without reading anything.
    guard heads.imported.firstMissing(from: declaration.horizon).map({ $0.peer == own }) ?? true,
      try agrees(declaration, heads)
    else { return false }
    let beyond = try offending(declaration, heads)
    guard beyond.isEmpty else { return false }
    var new = record
    let present = self
    func refusal(_ state: inout HorizonState) throws -> PromiseRefusal? {
      state.promise(
        declaration, as: present.own, having: try present.having(heads),
        beyond: try heads.deciding(beyond: declaration.horizon))
    }
    guard try refusal(&new.state) == nil else { return false }
    var newNotes = notes
    newNotes.moved = now
    newNotes.seen[declaration.identifier] = nil
    try save(new, newNotes) {
      // What was written meanwhile counts.
      var state = present.record.state
      guard try refusal(&state) == nil else { throw Overtaken() }
    }
    facts.add(declaration)
    facts.add(promise: declaration.identifier, of: own)
    return true
  }

  // MARK: Proposing

  /// Proposes a horizon that contains everything that has been lost for a day (rule 25), whether logs or the
  /// baselines of what was forgotten. These are proposed at once if the store has just failed to make one, and
  /// every peer can promise it.
  ///
  /// - Returns: whether it has promised it.
  mutating func proposeLost() throws -> Bool {
    let settled = record.settled?.horizon ?? Knowledge()
    let stranded = try strandedLogs(beyond: settled)
    let isGone =
      !stranded.isEmpty || LostLogs(exchange, peers, beyond: settled, waiting: waiting).isAny
    if isGone { try noteLoss() }
    // What others have agreed on may already contain it.
    guard let since = notes.lost, outcome.unfit == nil, unknown.isEmpty else { return false }
    let isDue = reseeds || HorizonNotes.hasPassed(policy.lossPatience, since: since, now)
    // Where a baseline could not be made, a proposal that leaves nobody out need not wait. One such proposal
    // is enough: another one would delay the moment from which the peers that were asked are left out.
    guard try isDue || isForced && record.state.promises.isEmpty && lacksBaseline() else {
      return false
    }
    let heads = try LoggedHeads(exchange)
    guard try isGone || lacksBaseline() || heads.lacksImported(beyond: settled) else {
      var newNotes = notes
      newNotes.lost = nil
      try save(record, newNotes)
      return false
    }
    outcome.hasLost = isDue
    let proposal = HorizonProposal(
      heads: heads, policy: policy, patience: policy.patience, state: record.state,
      ignoresAge: true, stranded: stranded)
    // The peers that were asked first have had a day.
    let isAlone =
      !record.state.promises.isEmpty
      && HorizonNotes.hasPassed(policy.interval, since: notes.moved, now)
    // Otherwise, each proposal of what was written meanwhile would give them another day.
    guard reseeds || isAlone || record.state.promises.isEmpty,
      // The horizon of a peer that has more contains all that this store could propose.
      try reseeds || !proposal.isSurpassed(),
      let declaration = try proposal.makeOfEverything(isAlone: isAlone, leavesNoneOut: !isDue)
    else { return false }
    return try promise(declaration, heads)
  }

  /// Returns the last imported transaction of each author that a new device waits for and can never read.
  ///
  /// It looks no more often than `propose`, unless something is known to be lost.
  private func strandedLogs(beyond settled: Knowledge) throws -> Knowledge {
    guard isForced || notes.lost != nil || maySeekOccasion else { return Knowledge() }
    // What this store obeys or has promised gets its baseline by rule 17.
    let known = Set(baselines.compactMap { $0.header.declaration?.identifier } + record.statements)
    return try StrandedLogs(
      exchange, peers, beyond: settled, known: known, patience: policy.patience
    ).last
  }

  /// Whether it is time to look for an occasion for a proposal.
  private var maySeekOccasion: Bool {
    // Otherwise, baselines would be out of date before they are written.
    record.state.obeyed == record.settled
      && HorizonNotes.hasPassed(policy.interval, since: notes.moved, now)
      && HorizonNotes.hasPassed(policy.interval / Self.looks, since: notes.considered, now)
  }

  /// Whether what the store has forgotten is in no whole baseline any more. A new device waits then.
  func lacksBaseline() throws -> Bool {
    guard let settled = record.settled else { return false }
    return try !baselines.contains {
      try $0.covers(settled) && exchange.tablesMissing(from: $0.header).isEmpty
        && exchange.memory.baselines.isWhole($0, in: exchange)
    }
  }

  /// Records that something is lost, unless that is already recorded.
  mutating func noteLoss() throws {
    guard notes.lost == nil else { return }
    try HorizonNotes.noteLoss(now, in: connection)
    notes.lost = now
  }

  /// Proposes a horizon and promises it, if it is time and there is something to gain (rule 17).
  ///
  /// Only a look at all logs and receipts shows whether there is, so the store looks only at intervals.
  mutating func propose() throws -> Bool {
    var patience = policy.patience
    if !isForced {
      // Nothing that the store has seen is old enough yet.
      if notes.moved == nil {
        var newNotes = notes
        newNotes.moved = now
        try save(record, newNotes)
        return false
      }
      guard maySeekOccasion else { return false }
      if policy.interval / Self.looks > 0 {
        var newNotes = notes
        newNotes.considered = now
        try save(record, newNotes)
      }
      let occasion = try HorizonOccasion(exchange, policy, baselines)
      guard
        !record.state.promises.isEmpty
          || occasion.isGiven(isSpaceNear: isSpaceNear, since: notes.moved, now)
      else { return false }
      patience = occasion.patience
    }
    let heads = try LoggedHeads(exchange)
    guard
      let proposal = try HorizonProposal(
        heads: heads, policy: policy, patience: patience, state: record.state,
        leftOut: unableToPromise(), ignoresAge: isForced
      ).make(before: now)
    else { return false }
    return try promise(proposal, heads)
  }

  /// Returns the peers that have something that does not pass the last promise, and so can never promise what
  /// follows it. Asking them for that promise would make it void (rule 7).
  private func unableToPromise() -> Set<PeerIdentity> {
    guard !record.state.promises.isEmpty else { return [] }
    var unable: Set<PeerIdentity> = []
    for waiting in waiting {
      guard case .fenced = waiting.reason else { continue }
      unable.insert(waiting.peer)
      for (peer, manifest) in exchange.manifests.all
      where manifest.receipt[waiting.peer] >= waiting.sequence {
        unable.insert(peer)
      }
    }
    return unable.subtracting([own])
  }

  /// It looks for an occasion this many times in the shortest time between two proposals.
  private static let looks: UInt64 = 24
}
