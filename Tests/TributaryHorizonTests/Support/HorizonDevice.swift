import TributaryCore
import TributaryHorizon
import TributaryTesting

/// A device that writes, imports, promises and forgets.
struct HorizonDevice {
  var identity: PeerIdentity
  var imported = Knowledge()
  var state = HorizonState()
  var facts = HorizonFacts()
  /// What it has forgotten.
  var forgotten: Declaration?

  init(in world: inout HorizonWorld) { identity = world.makeIdentity() }

  mutating func write(
    _ items: Set<Int>, knowing knowledge: Knowledge? = nil, in world: inout HorizonWorld
  ) {
    let sequence = imported[identity].next
    var knowledge = knowledge ?? imported
    if sequence.rawValue > 1 { knowledge[identity] = imported[identity] }
    let antecedents = Antecedents(author: identity, sequence: sequence, knowledge: knowledge)
    world.transactions[identity, default: []].append((antecedents, items))
    imported[identity] = sequence
  }

  /// Imports the next transaction of an identity if the rules allow it.
  mutating func importNext(of author: PeerIdentity, in world: HorizonWorld) throws -> Bool {
    let log = world.transactions[author, default: []]
    let index = Int(imported[author].rawValue)
    guard index < log.count else { return false }
    let transaction = log[index].antecedents
    guard state.admits(transaction) else {
      return state.dropVoid(transaction) {
        facts.receipts[$0, default: Knowledge()][author] >= transaction.sequence
      }
    }
    guard imported.isSuperset(of: transaction.knowledge) else { return false }
    if let forgotten {
      try demand(
        transaction.knowledge.isSuperset(of: forgotten.horizon),
        "\(identity) cannot merge \(transaction)")
    }
    imported[author] = transaction.sequence
    return true
  }

  func publish(in world: inout HorizonWorld) {
    world.statements.append(
      HorizonStatement(
        peer: identity, receipt: imported, obeyed: state.obeyed, promises: state.promises))
  }

  mutating func read(_ statement: HorizonStatement) {
    facts.add(receipt: statement.receipt, of: statement.peer)
    for promise in statement.promises {
      facts.add(promise)
      facts.add(promise: promise.identifier, of: statement.peer)
    }
    if let obeyed = statement.obeyed {
      facts.add(obeyed)
      facts.add(declared: obeyed.identifier)
    }
  }

  /// Proposes to others what all have by their receipts.
  mutating func propose(
    to members: Set<PeerIdentity>, as identifier: UInt64, in world: HorizonWorld
  ) throws -> Bool {
    facts.add(receipt: imported, of: identity)
    let receipts = members.map { facts.receipts[$0, default: Knowledge()] }
    let all = receipts.reduce(into: Knowledge()) { $0.formUnion($1) }
    let horizon = QuietHorizon.latest(receipts: receipts) { after, body in
      world.transactions(of: all, without: after).forEach(body)
    }
    guard
      let proposal = state.proposal(
        members: members, horizon: horizon, identify: { _ in identifier })
    else { return false }
    return promise(proposal, in: world)
  }

  mutating func promise(_ declaration: Declaration, in world: HorizonWorld) -> Bool {
    let refusal = state.promise(
      declaration, as: identity, having: imported,
      beyond: world.transactions(of: imported, without: declaration.horizon))
    if refusal == nil {
      facts.add(declaration)
      facts.add(promise: declaration.identifier, of: identity)
    }
    return refusal == nil
  }

  /// Obeys and forgets as soon as all members have promised.
  mutating func obeyDeclared(in world: inout HorizonWorld) throws -> Bool {
    guard state.obeyDeclared(facts), let obeyed = state.obeyed else { return false }
    forget(obeyed, in: &world)
    return true
  }

  private mutating func forget(_ declaration: Declaration, in world: inout HorizonWorld) {
    forgotten = declaration
    if !world.baselines.contains(declaration) { world.baselines.append(declaration) }
  }

  /// Checks that all that it has passes a horizon.
  func checkPasses(_ declaration: Declaration, _ world: HorizonWorld) throws {
    for transaction in world.transactions(of: imported, without: declaration.horizon) {
      try demand(
        declaration.admits(transaction), "\(identity) has \(transaction), fenced by \(declaration)")
    }
  }

  /// Reads a baseline that declares a horizon.
  mutating func answer(_ declaration: Declaration, in world: inout HorizonWorld) throws -> Bool {
    facts.add(declaration)
    facts.add(declared: declaration.identifier)
    if try obeyDeclared(in: &world) { return true }
    switch state.answer(
      to: declaration, having: imported,
      beyond: world.transactions(of: imported, without: declaration.horizon),
      missing: world.transactions(of: declaration.horizon, without: imported))
    {
    case .nothing, .importHorizon: return false
    case .follow:
      state.follow(declaration)
      forget(declaration, in: &world)
    case .comeBack: comeBack(by: declaration, in: &world)
    }
    return true
  }

  /// Takes the baseline, applies what passes, and issues the rest again under another identity (rule 12).
  private mutating func comeBack(by declaration: Declaration, in world: inout HorizonWorld) {
    publish(in: &world)
    let items = world.items(of: imported)
    var rest = world.transactions(of: imported, without: declaration.horizon)
    imported = declaration.horizon
    var count: Int
    repeat {
      count = rest.count
      rest.removeAll { transaction in
        guard imported[transaction.author].next == transaction.sequence,
          declaration.admits(transaction),
          imported.isSuperset(of: transaction.knowledge)
        else { return false }
        imported[transaction.author] = transaction.sequence
        return true
      }
    } while rest.count < count
    if !rest.isEmpty || !state.promises.isEmpty
      || imported[identity].rawValue < UInt64(world.transactions[identity, default: []].count)
    {
      identity = world.makeIdentity()
    }
    state.follow(declaration)
    forget(declaration, in: &world)
    let fenced = items.subtracting(world.items(of: imported))
    if !fenced.isEmpty { write(fenced, knowing: declaration.horizon, in: &world) }
    publish(in: &world)
  }
}
