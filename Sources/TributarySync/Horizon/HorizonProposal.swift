import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryStore

/// Makes the proposal that all who count may promise, as far as their receipts say.
struct HorizonProposal {
  let heads: LoggedHeads
  let policy: HorizonPolicy
  let state: HorizonState
  /// Whether a horizon may contain what was made just now.
  let ignoresAge: Bool

  private var exchange: Exchange { heads.exchange }

  /// Returns a proposal; `nil` if there is none, or it would gain nothing.
  ///
  /// - Throws: `LoggedHeads.Missing`.
  func make(before now: UInt64) throws -> Declaration? {
    let members = try HorizonMembers(exchange, policy)
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

  /// Returns what each member has imported and made; `nil` if one of them does not say what it has made: it is of a
  /// version that promises nothing.
  private func receipts(of members: HorizonMembers) throws -> [Knowledge]? {
    var receipts: [Knowledge] = []
    for peer in members.all.sorted() {
      guard peer != exchange.own else {
        var knowledge = heads.imported
        knowledge[peer] = try SegmentTable(exchange.connection).last()
        receipts.append(knowledge)
        continue
      }
      guard let manifest = members.manifests[peer], let made = manifest.horizon?.made else {
        return nil
      }
      var knowledge = manifest.receipt
      knowledge[peer] = made
      receipts.append(knowledge)
    }
    return receipts
  }
}
