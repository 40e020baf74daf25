import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// The decisions of a store about horizons after an import, before its `peer.json` states them. Rules have
/// the numbers of `docs/space.md`; the decisions are those of `HorizonState`.
///
/// Whatever takes a long time is read before the store is locked. Once it is locked, the basis of what was
/// read is compared again.
struct HorizonStep {
  let exchange: Exchange
  let policy: HorizonPolicy
  /// What has arrived and is not imported.
  let waiting: [Waiting]
  /// Whether the store is about to exceed its space limit.
  let isSpaceNear: Bool
  /// Whether the user wants a proposal now, whatever its age and use.
  var isForced = false
  /// Whether the user states that what is lost will not come back.
  var reseeds = false

  /// What was decided before, and since.
  var record: HorizonRecord
  var notes: HorizonNotes
  var facts = HorizonFacts()
  let baselines: [DeclaredBaselines.Baseline]
  /// What the store had imported when this was created.
  let peers: [KnowledgeTable.Peer]
  var outcome = Outcome()

  struct Outcome {
    /// Whether a promise was dropped, so that what was kept out may come in.
    var hasDropped = false
    /// A declaration that the store does not fit. It comes back by a baseline of that declaration (rule 12).
    var unfit: Declaration?
    /// Whether the store waits for a baseline that nothing else may announce.
    var awaitsBaseline = false
    /// Declarations that others obey, but of which no whole baseline is known here.
    var unknown: Set<UInt64> = []
    /// The declaration whose baseline this store has to write now.
    var writes: Declaration?
    /// Whether there may be something to remove.
    var removes = false
    /// Whether logs that would have to be read again have been lost for a day.
    var hasLost = false
    /// Whether no whole baseline contains what the store has forgotten.
    var lacksBaseline = false
  }

  /// Another process has decided, imported or written meanwhile. The next synchronisation looks again.
  struct Overtaken: Error {}

  init(
    _ exchange: Exchange, _ policy: HorizonPolicy, waiting: [Waiting], isSpaceNear: Bool
  ) throws {
    self.exchange = exchange
    self.policy = policy
    self.waiting = waiting
    self.isSpaceNear = isSpaceNear
    let connection = exchange.connection
    (record, notes, peers) = try connection.snapshot {
      (
        try HorizonRecord(connection), try HorizonNotes(connection),
        try KnowledgeTable(connection).peers()
      )
    }
    baselines = try exchange.memory.baselines.all(of: exchange)
  }

  var own: PeerIdentity { exchange.own }
  var connection: Connection { exchange.connection }
  var now: UInt64 { exchange.environment.clock.milliseconds() }
  private var others: [PeerManifest] { exchange.manifests.others(than: own) }

  /// Takes the decisions that are due.
  mutating func run() throws -> Outcome {
    do {
      try gather()
      if try dropVoid() { return outcome }
      if try !obeyDeclared() { try follow() }
      try settle()
      try passingOverMissing { try $0.promiseOthers() }
      // A store that is alone has thereby declared it.
      try passingOverMissing {
        if try $0.proposeLost() || $0.propose() { _ = try $0.obeyDeclared() }
      }
    } catch is Overtaken {
      outcome.awaitsBaseline = true
      return outcome
    }
    if record.state.obeyed != record.settled { outcome.awaitsBaseline = true }
    outcome.unknown = unknown
    outcome.writes = try baselineToWrite()
    outcome.lacksBaseline = try lacksBaseline()
    outcome.removes = try HorizonRemoval.isDue(exchange, baselines, settled: record.settled)
    return outcome
  }

  /// Takes the decisions that are due for a store that imports nothing, since its tables cannot be compared
  /// with the logs: what the others have declared, and whether the store comes back. It promises nothing.
  mutating func runUncompared() throws -> Outcome {
    do {
      try gather()
      if try !obeyDeclared() { try followUncompared() }
      try settle()
    } catch is Overtaken {
      outcome.awaitsBaseline = true
    }
    return outcome
  }

  /// Takes a decision, unless logs that it needs are missing: the carrier or their author brings them, or
  /// they are lost.
  mutating func passingOverMissing(_ decide: (inout Self) throws -> Void) throws {
    do {
      try decide(&self)
    } catch is LoggedHeads.Missing {
      try noteLoss()
    }
  }

  // MARK: Facts

  /// Collects what peers state.
  mutating func gather() throws {
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

  /// Whether a baseline that declares something is whole.
  ///
  /// - Parameter isComplete: whether it must have all tables, so that others may rely on it.
  func hasWhole(declaring declaration: Declaration, isComplete: Bool = false) throws -> Bool {
    try baselines.contains {
      try $0.header.declaration == declaration
        && (!isComplete || exchange.tablesMissing(from: $0.header).isEmpty)
        && exchange.memory.baselines.isWhole($0, in: exchange)
    }
  }

  /// The declarations that others obey, and that are neither this store's nor known to come before it.
  var unknown: Set<UInt64> {
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
  /// - Parameter check: called while no other process can write; throws `Overtaken` to withdraw the decision.
  mutating func save(
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
      // Another process may have changed these meanwhile.
      newNotes.arrivals = try HorizonNotes(connection).arrivals
      try newNotes.write(to: connection)
    }
    record = new
    notes = newNotes
  }

  // MARK: What the store has

  /// Returns everything that the store has imported and made.
  ///
  /// - Throws: `Overtaken` if it has imported since `heads` were read.
  func having(_ heads: LoggedHeads) throws -> Knowledge {
    var knowledge = try KnowledgeTable(connection).current()
    guard knowledge == heads.imported else { throw Overtaken() }
    knowledge[own] = try Outbox(connection).last()?.sequence ?? .zero
    return knowledge
  }

  /// Returns an imported transaction that does not pass, if there is one.
  func offending(_ declaration: Declaration, _ heads: LoggedHeads) throws -> [Antecedents] {
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

  /// Whether the last transactions in a horizon were made at the times that the declaration states, as far as
  /// the store has them. Other times mean other transactions under the same names: a fork (rule 2).
  func agrees(_ declaration: Declaration, _ heads: LoggedHeads) throws -> Bool {
    let made = try Outbox(connection).last()?.sequence ?? .zero
    let common = Knowledge(
      declaration.horizon.entries.filter {
        ($0.peer == own ? made : heads.imported[$0.peer]) >= $0.sequence
      })
    return try heads.times(of: common, record.state.last).allSatisfy {
      declaration.times[$0.key] == $0.value
    }
  }
}
