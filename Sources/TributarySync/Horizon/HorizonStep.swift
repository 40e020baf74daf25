import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// What a store decides about horizons after an import, before its `peer.json` says so. Rules have the numbers of
/// `docs/space.md`; the decisions are those of `HorizonState`.
///
/// Whatever takes long is read before the store is locked, and what it is based on is compared again then.
struct HorizonStep {
  let exchange: Exchange
  let policy: HorizonPolicy
  /// What has arrived and is not imported.
  let waiting: [Waiting]
  /// Whether the store is about to take more room than it was told to.
  let isSpaceNear: Bool
  /// Whether somebody wants a proposal now, whatever its age and use.
  var isForced = false

  /// What was decided before, and since.
  private(set) var record: HorizonRecord
  private(set) var notes: HorizonNotes
  private(set) var facts = HorizonFacts()
  let baselines: [DeclaredBaselines.Baseline]
  private(set) var outcome = Outcome()

  struct Outcome {
    /// Whether a promise was dropped, so that what was kept out may come in.
    var hasDropped = false
    /// A declaration that the store does not fit: it comes back by a baseline of it (rule 12).
    var unfit: Declaration?
    /// Whether the store waits for a baseline, of which nothing else may tell.
    var awaitsBaseline = false
    /// Declarations that others obey, and of which no whole baseline is known here.
    var unknown: Set<UInt64> = []
    /// The declaration whose baseline this store has to write now.
    var writes: Declaration?
    /// Whether there may be something to remove.
    var removes = false
  }

  /// Another process has decided, imported or written meanwhile; the next synchronisation looks again.
  struct Overtaken: Error {}

  init(
    _ exchange: Exchange, _ policy: HorizonPolicy, waiting: [Waiting], isSpaceNear: Bool
  ) throws {
    self.exchange = exchange
    self.policy = policy
    self.waiting = waiting
    self.isSpaceNear = isSpaceNear
    record = try HorizonRecord(exchange.connection)
    notes = try HorizonNotes(exchange.connection)
    baselines = try exchange.memory.baselines.all(of: exchange)
  }

  var own: PeerIdentity { exchange.own }
  var connection: Connection { exchange.connection }
  var now: UInt64 { exchange.environment.clock.milliseconds() }
  private var others: [PeerManifest] { exchange.manifests.others(than: own) }

  /// Decides what is to be decided.
  mutating func run() throws -> Outcome {
    do {
      try gather()
      if try dropVoid() { return outcome }
      // One at a time: what is stated must show how the store came to it.
      if try !obeyDeclared() { try follow() }
      try promiseOthers()
      if try propose() { _ = try obeyDeclared() }
      try settle()
    } catch is Overtaken {
      outcome.awaitsBaseline = true
      return outcome
    } catch is LoggedHeads.Missing {
      // The carrier brings it, or its author does; nothing may be decided without.
    }
    if record.state.obeyed != record.settled { outcome.awaitsBaseline = true }
    outcome.unknown = unknown
    outcome.writes = try baselineToWrite()
    outcome.removes = try HorizonRemoval.isDue(exchange, baselines)
    return outcome
  }

  // MARK: Facts

  /// Collects what peers state.
  private mutating func gather() throws {
    let known = record.state.promises + [record.state.obeyed, record.settled].compactMap { $0 }
    for declaration in known { facts.add(declaration) }
    for promise in record.state.promises { facts.add(promise: promise.identifier, of: own) }
    for manifest in others {
      guard let horizon = manifest.horizon else { continue }
      for identifier in horizon.promises { facts.add(promise: identifier, of: manifest.peer) }
      for identifier in [horizon.obeyed, horizon.settled] {
        if let identifier { facts.add(declared: identifier) }
      }
      if let proposal = horizon.proposal { facts.add(proposal) }
    }
    for promise in record.state.promises where !facts.isDeclared(promise) {
      if try hasWhole(declaring: promise) { facts.add(declared: promise.identifier) }
    }
  }

  private func hasWhole(declaring declaration: Declaration) throws -> Bool {
    try baselines.contains {
      try $0.header.declaration == declaration
        && exchange.memory.baselines.isWhole($0, in: exchange)
    }
  }

  /// The declarations that others obey, and that are neither this store's nor known to come before.
  private var unknown: Set<UInt64> {
    let stated = others.flatMap { [$0.horizon?.obeyed, $0.horizon?.settled] }.compactMap { $0 }
    return Set(stated).subtracting(notes.stated + record.statements)
      .subtracting(
        baselines.compactMap(\.header.declaration).filter { declaration in
          record.state.obeyed.map { declaration <= $0 } ?? false
        }.map(\.identifier))
  }

  // MARK: Changes

  /// Records a decision.
  ///
  /// - Parameter check: called while nobody else can write; throws `Overtaken` to withdraw it.
  private mutating func save(
    _ new: HorizonRecord, _ newNotes: HorizonNotes, check: () throws -> Void = {}
  ) throws {
    var newNotes = newNotes
    newNotes.note(record)
    newNotes.note(new)
    let present = record
    try connection.immediate {
      guard try exchange.isCurrent(), try HorizonRecord(connection) == present else {
        throw Overtaken()
      }
      try check()
      try new.write(to: connection)
      try newNotes.write(to: connection)
    }
    record = new
    notes = newNotes
  }

  /// Drops promises that others can never give (rule 7).
  private mutating func dropVoid() throws -> Bool {
    guard !record.state.promises.isEmpty else { return false }
    var new = record
    let fenced = waiting.filter { if case .fenced = $0.reason { true } else { false } }
    guard !fenced.isEmpty else { return false }
    let heads = try LoggedHeads(exchange)
    let receipts = exchange.memory.receipts.read(
      exchange.listing, in: exchange.directory, exchange.environment)
    for waiting in fenced {
      guard let transaction = heads.transaction(waiting.sequence, of: waiting.peer) else {
        continue
      }
      let isDropped = new.state.dropVoid(transaction) { peer in
        receipts.all[peer].map { $0.receipt[waiting.peer] >= waiting.sequence } ?? false
      }
      outcome.hasDropped = outcome.hasDropped || isDropped
    }
    guard outcome.hasDropped else { return false }
    try save(new, notes)
    return true
  }

  /// Obeys what is declared (rule 8).
  private mutating func obeyDeclared() throws -> Bool {
    var new = record
    guard new.state.obeyDeclared(facts) else { return false }
    try saveObeying(new)
    return true
  }

  private mutating func saveObeying(
    _ new: HorizonRecord, check: () throws -> Void = {}
  ) throws {
    var newNotes = notes
    newNotes.obeyed = now
    newNotes.seen = [:]
    try save(new, newNotes, check: check)
  }

  /// Has forgotten, as soon as there is a baseline to do so by (rule 9).
  private mutating func settle() throws {
    guard let obeyed = record.state.obeyed, record.settled != obeyed,
      try hasWhole(declaring: obeyed),
      // What is examined later may need what came before.
      try !OwnExamination.isDue(connection)
    else { return }
    var new = record
    new.settled = obeyed
    let connection = connection
    try save(new, notes) { try HorizonRecord.settle(obeyed, in: connection) }
  }

  /// Returns the declaration that the store obeys, if it is this store's turn to write a baseline of it (rule 17).
  private func baselineToWrite() throws -> Declaration? {
    guard let obeyed = record.state.obeyed else { return nil }
    let present = Set(
      try baselines.filter {
        try $0.covers(obeyed) && exchange.memory.baselines.isWhole($0, in: exchange)
      }.map(\.peer))
    guard !present.contains(own) else { return nil }
    let members = obeyed.members
    let first = Int(obeyed.identifier % UInt64(members.count))
    let chosen = [members[first], members[(first + 1) % members.count]]
    if chosen.contains(own) { return obeyed }
    let needed = exchange.listing.peers.count > 1 ? 2 : 1
    guard present.count < needed,
      HorizonNotes.hasPassed(policy.courtesy, since: notes.obeyed, now)
    else { return nil }
    return obeyed
  }

  // MARK: Following

  /// Obeys the last declaration of which a baseline is here, if the store fits it (rules 10 and 11).
  private mutating func follow() throws {
    guard let latest = try latestDeclared(), !record.state.promises.contains(latest) else { return }
    let heads = try LoggedHeads(exchange)
    var beyond: [Antecedents] = []
    // Without these, the store does not fit, whatever it has.
    if record.state.promises.isEmpty,
      record.state.obeyed.map({ latest.horizon.isSuperset(of: $0.horizon) }) ?? true
    {
      guard try agrees(latest, heads) else {
        outcome.unfit = latest
        return
      }
      beyond = try offending(latest, heads)
    }
    let missing = try heads.missing(from: latest.horizon)
    let present = self
    func answer() throws -> DeclarationAnswer {
      present.record.state.answer(
        to: latest, having: try present.having(heads),
        beyond: beyond + (try heads.deciding(beyond: latest.horizon)), missing: missing)
    }
    switch try answer() {
    case .nothing, .importHorizon: break
    case .comeBack: outcome.unfit = latest
    case .follow:
      var new = record
      new.state.follow(latest)
      try saveObeying(new) { guard try answer() == .follow else { throw Overtaken() } }
    }
  }

  /// Returns the last declaration of which there is a whole baseline, if it comes after the one that is obeyed.
  private func latestDeclared() throws -> Declaration? {
    let later = baselines.filter { baseline in
      guard let declaration = baseline.header.declaration else { return false }
      return record.state.obeyed.map { $0 < declaration } ?? true
    }
    return try later.sorted { $0.header.declaration! > $1.header.declaration! }.first {
      try exchange.memory.baselines.isWhole($0, in: exchange)
    }?.header.declaration
  }

  // MARK: What the store has

  /// Returns all that the store has imported and made.
  ///
  /// - Throws: `Overtaken` if it has imported since `heads` were made.
  func having(_ heads: LoggedHeads) throws -> Knowledge {
    var knowledge = try KnowledgeTable(connection).current()
    guard knowledge == heads.imported else { throw Overtaken() }
    knowledge[own] = try Outbox(connection).last()?.sequence ?? .zero
    return knowledge
  }

  /// Returns an imported transaction that does not pass, if there is one.
  private func offending(_ declaration: Declaration, _ heads: LoggedHeads) throws -> [Antecedents] {
    struct Found: Error { var transaction: Antecedents }
    do {
      try heads.forEachImported(beyond: declaration.horizon) {
        if !declaration.admits($0) { throw Found(transaction: $0) }
      }
      return []
    } catch let found as Found {
      return [found.transaction]
    }
  }

  /// Whether the last transactions in a horizon were made when the declaration says so, as far as the store has them.
  /// Other times mean other transactions under the same names: a fork (rule 2).
  private func agrees(_ declaration: Declaration, _ heads: LoggedHeads) throws -> Bool {
    let made = try Outbox(connection).last()?.sequence ?? .zero
    let common = Knowledge(
      declaration.horizon.entries.filter {
        ($0.peer == own ? made : heads.imported[$0.peer]) >= $0.sequence
      })
    return try heads.times(of: common, record.state.last).allSatisfy {
      declaration.times[$0.key] == $0.value
    }
  }

  // MARK: Promising

  /// Promises the last of the others' proposals that it may promise (rule 6).
  private mutating func promiseOthers() throws {
    let proposals = facts.declarations.values.filter { proposal in
      !facts.isDeclared(proposal) && proposal.members.contains(own)
        && !record.state.promises.contains(proposal)
        && !record.state.dropped.contains(proposal.identifier)
        && record.state.last.map { proposal.follows($0) } ?? true
        && baselines.allSatisfy { $0.header.declaration != proposal }
    }
    guard !proposals.isEmpty else { return }
    let active = try HorizonMembers(exchange, policy).active
    for proposal in proposals.sorted(by: >) {
      // Courtesy: who is left out would have to come back.
      if !active.isSubset(of: proposal.members), try !isOld(proposal) { continue }
      if try promise(proposal, LoggedHeads(exchange)) { return }
    }
  }

  /// Whether a proposal has been here for so long that it waits for nobody; notes when it was first seen.
  private mutating func isOld(_ proposal: Declaration) throws -> Bool {
    if let seen = notes.seen[proposal.identifier] {
      return HorizonNotes.hasPassed(policy.courtesy, since: seen, now)
    }
    var newNotes = notes
    newNotes.seen[proposal.identifier] = now
    try save(record, newNotes)
    return false
  }

  /// Promises a declaration, if the rules allow it.
  private mutating func promise(_ declaration: Declaration, _ heads: LoggedHeads) throws -> Bool {
    // What it lacks is known without reading anything.
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

  /// Proposes a horizon, and promises it, if it is time and there is something to gain.
  private mutating func propose() throws -> Bool {
    guard isForced || HorizonNotes.hasPassed(policy.interval, since: notes.moved, now) else {
      return false
    }
    guard try isForced || !record.state.promises.isEmpty || isOccasion() else { return false }
    let heads = try LoggedHeads(exchange)
    guard
      let proposal = try HorizonProposal(
        heads: heads, policy: policy, state: record.state, ignoresAge: isForced
      ).make(before: now)
    else { return false }
    return try promise(proposal, heads)
  }

  /// Whether there is something to gain (rule 17); looks once in each interval.
  private mutating func isOccasion() throws -> Bool {
    guard HorizonNotes.hasPassed(policy.interval, since: notes.considered, now) else {
      return false
    }
    if try HorizonOccasion(
      exchange: exchange, policy: policy, isSpaceNear: isSpaceNear
    ).isGiven(since: notes.moved, now) {
      return true
    }
    var newNotes = notes
    newNotes.considered = now
    try save(record, newNotes)
    return false
  }
}
