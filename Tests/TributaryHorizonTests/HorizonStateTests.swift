import Testing
import TributaryCore
import TributaryHorizon

/// What a store promises, imports, obeys and follows.
@Suite struct HorizonStateTests {
  private let a = PeerIdentity(high: 1, low: 0)
  private let b = PeerIdentity(high: 2, low: 0)
  private let c = PeerIdentity(high: 3, low: 0)

  private func knowledge(_ a: UInt64, _ b: UInt64 = 0, _ c: UInt64 = 0) -> Knowledge {
    var knowledge = Knowledge()
    knowledge[self.a] = SequenceNumber(a)
    knowledge[self.b] = SequenceNumber(b)
    knowledge[self.c] = SequenceNumber(c)
    return knowledge
  }

  private func transaction(_ author: PeerIdentity, _ sequence: UInt64, knowing knowledge: Knowledge)
    -> Antecedents
  {
    Antecedents(author: author, sequence: SequenceNumber(sequence), knowledge: knowledge)
  }

  private func declaration(
    _ identifier: UInt64, weight: UInt64 = 2, _ members: [PeerIdentity], _ horizon: Knowledge
  ) -> Declaration {
    Declaration(identifier: identifier, weight: weight, members: members, horizon: horizon)
  }

  @Test func `a transaction passes beneath the horizon, or if its author knew all of it`() {
    let declaration = declaration(1, [b, a], knowledge(2, 3))
    #expect(declaration.members == [a, b])
    #expect(declaration.admits(transaction(b, 3, knowing: knowledge(0, 2))))
    #expect(declaration.admits(transaction(c, 1, knowing: knowledge(2, 3))))
    #expect(!declaration.admits(transaction(c, 1, knowing: knowledge(2, 2))))
    #expect(!declaration.admits(transaction(b, 4, knowing: knowledge(1, 3))))
  }

  @Test func `a store promises only what it has, what is quiet, and what follows`() {
    var state = HorizonState()
    func refusal(_ declaration: Declaration, _ imported: Knowledge, _ beyond: [Antecedents] = [])
      -> PromiseRefusal?
    {
      state.promise(declaration, as: a, having: imported, beyond: beyond)
    }
    let first = declaration(5, [a, b], knowledge(1, 1))
    #expect(refusal(declaration(4, [b], knowledge(1)), knowledge(1)) == .notMember)
    #expect(
      refusal(first, knowledge(1)) == .lacks(Knowledge.Entry(peer: b, sequence: SequenceNumber(1))))
    let loud = transaction(a, 2, knowing: knowledge(1))
    #expect(refusal(first, knowledge(2, 1), [loud]) == .notQuiet(loud))
    #expect(state == HorizonState())

    let quiet = transaction(a, 2, knowing: knowledge(1, 1))
    #expect(refusal(first, knowledge(2, 1), [quiet]) == nil)
    #expect(refusal(first, knowledge(2, 1)) == .promised)
    #expect(
      refusal(declaration(4, [a, b], knowledge(2, 1)), knowledge(2, 1)) == .doesNotFollow(first))
    #expect(
      refusal(declaration(9, [a, b], knowledge(2)), knowledge(2, 1)) == .doesNotFollow(first))
    #expect(refusal(declaration(9, [a, b], knowledge(2, 1)), knowledge(2, 1)) == nil)
    #expect(state.promises.map(\.identifier) == [5, 9])
  }

  @Test func `a promise shuts out what does not pass, until another member is seen to have it`() {
    var state = HorizonState()
    let promise = declaration(1, [a, b], knowledge(1, 1))
    #expect(state.promise(promise, as: a, having: knowledge(1, 1), beyond: []) == nil)
    let late = transaction(c, 1, knowing: knowledge(1))
    #expect(!state.admits(late))
    var isDropped = state.dropVoid(late) { [c] in $0 == c }
    #expect(!isDropped)
    #expect(!state.admits(late))
    let passing = transaction(c, 1, knowing: knowledge(1, 1))
    isDropped = state.dropVoid(passing) { _ in true }
    #expect(state.admits(passing) && !isDropped)

    var other = state
    isDropped = state.dropVoid(late) { [b] in $0 == b }
    let without = HorizonState(obeyed: nil, promises: [], dropped: [1])
    #expect(isDropped && state == without && state.admits(late))
    isDropped = other.dropVoid(transaction(b, 2, knowing: knowledge(0, 1))) { _ in false }
    #expect(isDropped && other == without)

    // It gives this promise never again, but others.
    let again = state.promise(promise, as: a, having: knowledge(1, 1), beyond: [])
    #expect(again == .void && state == without)
    let next = state.promise(
      declaration(2, [a, b], knowledge(1, 1)), as: a, having: knowledge(1, 1), beyond: [])
    #expect(next == nil && state.dropped == [1])
    state.follow(declaration(3, weight: 9, [b], knowledge(1, 1)))
    #expect(state.dropped.isEmpty)
  }

  @Test func `a store obeys the last promise that all members have given, and keeps later ones`() {
    var state = HorizonState()
    let promises = (1...3).map {
      declaration(UInt64($0), weight: UInt64(2 * $0), [a, b], knowledge(UInt64($0)))
    }
    for promise in promises {
      let refusal = state.promise(promise, as: a, having: knowledge(3), beyond: [])
      #expect(refusal == nil)
    }
    var facts = HorizonFacts()
    for promise in promises {
      facts.add(promise)
      facts.add(promise: promise.identifier, of: a)
    }
    var isChanged = state.obeyDeclared(facts)
    #expect(!isChanged && facts.latest == nil)
    facts.add(promise: promises[1].identifier, of: b)
    isChanged = state.obeyDeclared(facts)
    #expect(
      isChanged && state.obeyed == promises[1] && state.promises == [promises[2]]
        && state.last == promises[2])
    #expect(facts.latest == promises[1])
    facts.add(declared: promises[2].identifier)
    isChanged = state.obeyDeclared(facts)
    #expect(isChanged && state.obeyed == promises[2] && state.promises.isEmpty)
  }

  @Test func `a store follows what it fits, and comes back by what it does not`() {
    var state = HorizonState()
    let declared = declaration(7, weight: 4, [b, c], knowledge(1, 2))
    func answer(
      _ declaration: Declaration, _ imported: Knowledge, beyond: [Antecedents] = [],
      missing: [Antecedents] = []
    ) -> DeclarationAnswer {
      state.answer(to: declaration, having: imported, beyond: beyond, missing: missing)
    }
    #expect(answer(declared, knowledge(1, 2)) == .follow)
    #expect(
      answer(declared, knowledge(1))
        == .importHorizon(Knowledge.Entry(peer: b, sequence: SequenceNumber(2))))
    #expect(
      answer(declared, knowledge(2, 2), beyond: [transaction(a, 2, knowing: knowledge(1, 1))])
        == .comeBack)

    let promise = declaration(3, [a, b], knowledge(1))
    #expect(state.promise(promise, as: a, having: knowledge(1), beyond: []) == nil)
    #expect(answer(promise, knowledge(1)) == .nothing)
    // Whoever has promised is bound, whatever else is declared.
    #expect(answer(declared, knowledge(1, 2)) == .comeBack)

    state.follow(declared)
    #expect(state.promises.isEmpty && state.obeyed == declared)
    #expect(answer(declared, knowledge(1, 2)) == .nothing)
    #expect(answer(promise, knowledge(1, 2)) == .nothing)
    #expect(answer(declaration(8, weight: 9, [b], knowledge(0, 2)), knowledge(1, 2)) == .comeBack)
    // Part of the horizon does not pass what it obeys: it can never be imported here.
    let fenced = transaction(c, 1, knowing: knowledge(1))
    #expect(
      answer(declaration(8, weight: 9, [b], knowledge(1, 2, 1)), knowledge(1, 2), missing: [fenced])
        == .comeBack)
  }

  @Test func `the latest quiet horizon leaves out what somebody did not know`() {
    // a's second was made without b's first, and b's second without a's second.
    let history = [
      transaction(a, 1, knowing: knowledge(0)), transaction(b, 1, knowing: knowledge(1)),
      transaction(a, 2, knowing: knowledge(1)), transaction(b, 2, knowing: knowledge(1, 1)),
    ]
    func latest(_ receipts: [Knowledge], limit: Knowledge? = nil) -> Knowledge {
      QuietHorizon.latest(receipts: receipts, limit: limit) { after, body in
        for transaction in history where transaction.sequence > after[transaction.author] {
          body(transaction)
        }
      }
    }
    #expect(latest([]) == knowledge(0))
    #expect(latest([knowledge(2, 2), knowledge(2, 2)]) == knowledge(2, 2))
    #expect(latest([knowledge(2, 2), knowledge(2, 1)]) == knowledge(1))
    #expect(latest([knowledge(2, 2)], limit: knowledge(1, 1)) == knowledge(1))
  }

  @Test func `a proposal outweighs what its proposer has promised, and says something new`() {
    var state = HorizonState()
    #expect(state.proposal(members: [a], horizon: knowledge(0)) { _ in 1 } == nil)
    let first = state.proposal(members: [b, a], horizon: knowledge(1)) { _ in 7 }
    #expect(first == declaration(7, weight: 2, [a, b], knowledge(1)))
    #expect(state.promise(first!, as: a, having: knowledge(1), beyond: []) == nil)
    #expect(state.proposal(members: [a, b], horizon: knowledge(1)) { _ in 8 } == nil)
    #expect(state.proposal(members: [a], horizon: knowledge(0, 1)) { _ in 8 } == nil)
    #expect(
      state.proposal(members: [a], horizon: knowledge(1)) { _ in 8 }
        == declaration(8, weight: 3, [a], knowledge(1)))
  }
}
