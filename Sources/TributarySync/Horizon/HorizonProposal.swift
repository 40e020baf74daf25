import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryStore

/// Makes the proposal that all peers that count may promise, according to their receipts.
struct HorizonProposal {
  let heads: LoggedHeads
  let policy: HorizonPolicy
  /// For how many silent days a peer is waited for.
  let patience: Int
  let state: HorizonState
  /// Peers that are not asked.
  var leftOut: Set<PeerIdentity> = []
  /// Whether a horizon may contain what was made just now.
  let ignoresAge: Bool
  /// The last transaction of each author that only some peers can read. Those that lack it cannot promise a
  /// horizon that contains it, and the author has not done its part for a day.
  var stranded = Knowledge()

  private var exchange: Exchange { heads.exchange }

  /// Returns a proposal; `nil` if there is none, or if it would gain nothing.
  ///
  /// - Throws: `LoggedHeads.Missing`.
  func make(before now: UInt64) throws -> Declaration? {
    let members = try members()
    guard let receipts = try receipts(of: members) else { return nil }
    let last = state.last?.horizon ?? Knowledge()
    var common = receipts[0]
    for receipt in receipts { common = common.intersection(receipt) }
    // What is promised stays, whatever its age.
    let limit =
      ignoresAge
      ? nil
      : try heads.limit(
        common, before: now - min(now, policy.minimumAge), containing: last)
    let horizon = try QuietHorizon.latest(receipts: receipts, limit: limit) { horizon, body in
      try heads.forEachImported(beyond: horizon, body)
      try heads.deciding(beyond: horizon).forEach(body)
    }
    if state.promises.isEmpty, let obeyed = state.obeyed, obeyed.horizon == horizon { return nil }
    guard horizon.isSuperset(of: last) else { return nil }
    return try state.proposal(
      members: members.all, horizon: horizon, times: heads.times(of: horizon, state.last),
      identify: \.digest)
  }

  /// Returns a proposal of everything that this store has (rule 25): nothing beyond it would have to be read
  /// again. According to their receipts, its members have everything in it or can still import it, and have
  /// nothing else.
  ///
  /// - Parameters:
  ///   - isAlone: whether to ask no other peer.
  ///   - leavesNoneOut: whether to propose nothing unless all peers that count, and all members of the last
  ///     declaration, can be members.
  /// - Throws: `LoggedHeads.Missing`.
  func makeOfEverything(isAlone: Bool, leavesNoneOut: Bool) throws -> Declaration? {
    let members = try members()
    let horizon = try ownReceipt()
    let listings = Dictionary(uniqueKeysWithValues: exchange.listing.peers.map { ($0.peer, $0) })
    let others = members.all.filter { peer in
      guard peer != exchange.own, !isAlone, let receipt = receipt(of: peer, members),
        horizon.isSuperset(of: receipt), receipt.isSuperset(of: stranded),
        stranded[peer] == .zero
      else { return false }
      return horizon.exceeding(receipt).allSatisfy {
        listings[$0.peer]?.hasSegments(after: receipt[$0.peer], upTo: $0.sequence) ?? false
      }
    }
    let asked = others.union([exchange.own])
    // A container that was wiped knows nothing of peers that have not been back yet. One that has nothing loses
    // nothing by being left out: it begins with the baseline.
    let needed = members.all.union(state.last?.members ?? []).filter {
      receipt(of: $0, members).map { !$0.isEmpty } ?? true
    }
    if leavesNoneOut, !needed.isSubset(of: asked) { return nil }
    return try state.proposal(
      members: asked, horizon: horizon,
      times: heads.times(of: horizon, state.last), identify: \.digest)
  }

  /// Whether another active peer has imported what this store lacks and no file here has (rule 25). If two have
  /// what the other one lacks, the one that has more of it comes first.
  ///
  /// - Complexity: O(*nm*) for *n* active peers and *m* authors.
  func isSurpassed() throws -> Bool {
    let members = try members()
    let own = try ownReceipt()
    let receipts = members.active.subtracting([exchange.own]).compactMap { peer in
      receipt(of: peer, members).map { (peer: peer, knowledge: $0) }
    }
    let listings = Dictionary(uniqueKeysWithValues: exchange.listing.peers.map { ($0.peer, $0) })
    let settled = state.last?.horizon ?? Knowledge()
    let most = receipts.reduce(own) { $0.union($1.knowledge) }
    let missing = most.entries.filter { entry in
      ([own] + receipts.map(\.knowledge)).contains { knowledge in
        let last = knowledge[entry.peer]
        return last < entry.sequence && last >= settled[entry.peer]
          && !(listings[entry.peer]?.hasSegments(after: last, upTo: entry.sequence) ?? false)
      }
    }.map(\.peer)
    func weight(_ knowledge: Knowledge) -> UInt64 {
      missing.reduce(0) { $0 + knowledge[$1].rawValue }
    }
    let ownWeight = weight(own)
    return receipts.contains { peer, knowledge in
      missing.contains { own[$0] < knowledge[$0] }
        && (weight(knowledge), peer) > (ownWeight, exchange.own)
    }
  }

  private func members() throws -> HorizonMembers {
    var members = try HorizonMembers(exchange, patience: patience)
    members.all.subtract(leftOut)
    return members
  }

  private func ownReceipt() throws -> Knowledge {
    var knowledge = heads.imported
    knowledge[exchange.own] = try SegmentTable(exchange.connection).last()
    return knowledge
  }

  /// Returns what another peer has imported and made; `nil` if the peer does not state what it has made, or
  /// cannot read a baseline that would declare the horizon.
  private func receipt(of peer: PeerIdentity, _ members: HorizonMembers) -> Knowledge? {
    guard let manifest = members.manifests[peer], !manifest.refusesDeclarations,
      let made = manifest.horizon?.made
    else { return nil }
    var knowledge = manifest.receipt
    knowledge[peer] = made
    return knowledge
  }

  /// Returns what each member has imported and made; `nil` if one of them does not state what it has made:
  /// its version promises nothing.
  private func receipts(of members: HorizonMembers) throws -> [Knowledge]? {
    var receipts: [Knowledge] = []
    for peer in members.all.sorted() {
      guard let receipt = try peer == exchange.own ? ownReceipt() : receipt(of: peer, members)
      else { return nil }
      receipts.append(receipt)
    }
    return receipts
  }
}
