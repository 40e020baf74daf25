import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryReplay
import TributaryStore

extension Exchange {
  /// Returns what waits, without what need not be waited for. What a store left behind under its former
  /// identity, when it came back, has been issued again. A retired peer issues again what it wrote if it
  /// returns. It does so as soon as it learns of a declaration that keeps it out: one that not all have
  /// promised yet tells it nothing.
  ///
  /// In both cases, the first transactions may be removed already while the carrier still brings later ones. And both
  /// issue again what they wrote with knowledge of a transaction that is kept out, since they had imported that.
  func withoutReissued(_ waiting: [Waiting]) throws -> [Waiting] {
    guard waiting.contains(where: { $0.isFenced || $0.isGap || $0.isAboveHorizon }) else {
      return waiting
    }
    var former = Set(try FormerIdentities(connection).all().map(\.peer))
    former.formUnion(manifests.all.values.flatMap(\.former.keys))
    var retired = try Retirements(Settings(connection)).all()
    retired.formUnion(manifests.all.goneIdentities)
    let state = try HorizonRecord(connection).state
    let issued = try RetiredLog.reissued(in: connection).merging(
      manifests.reissued(byOthersThan: own), uniquingKeysWith: max)
    let forgotten = ForgottenLogs(self)
    func isExpected(_ waiting: Waiting) throws -> Bool {
      let hasLeft = former.contains(waiting.peer)
      guard hasLeft || retired.contains(waiting.peer) else { return true }
      if waiting.isAboveHorizon { return try !isLeftBehind(waiting.peer) }
      if waiting.isFenced || waiting.isGap, let last = issued[waiting.peer],
        waiting.sequence <= last
      {
        return false
      }
      // No store issues again what is only in a baseline that is not followed.
      if !hasLeft, case .transaction(waiting.peer, let sequence) = waiting.reason,
        forgotten.baselineNotFollowed(with: sequence, of: waiting.peer) != nil
      {
        return true
      }
      guard waiting.isFenced || waiting.isGap else { return true }
      // Peers that have left know it.
      let isAgreed = hasLeft || state.promises.isEmpty
      if waiting.isFenced, isAgreed { return false }
      return try !isKeptOut(waiting, by: isAgreed ? state.last : state.obeyed)
    }
    let left = former.union(retired)
    let unexpected = try waiting.filter { try !isExpected($0) }
    return waiting.filter { one in
      !unexpected.contains(one)
        && !(left.contains(one.peer)
          && one.causes(among: waiting).contains(where: unexpected.contains))
    }
  }

  /// Returns the damaged files without those that no store needs: files of identities that stores have left,
  /// as far as these are beyond the horizon by which they came back.
  func withoutLeftBehind(
    _ damaged: [(path: String, reason: String)]
  ) throws -> [(path: String, reason: String)] {
    if damaged.isEmpty { return [] }
    let state = try HorizonRecord(connection).state
    guard let obeyed = state.obeyed else { return damaged }
    return try damaged.filter { file in
      guard let name = SegmentName(file.path.lastPathComponent),
        let peer = PeerIdentity(
          hex: file.path.parentDirectory.parentDirectory.lastPathComponent),
        name.first > obeyed.horizon[peer]
      else { return true }
      return try !isLeftBehind(peer)
    }
  }

  /// Whether the store of an identity that was left obeys a horizon that this store knows. What it had
  /// written above an earlier one that no store remembers any more was in the horizon, or fenced.
  ///
  /// - Parameter latest: a horizon that this store knows, besides those that it has stated.
  func isLeftBehind(_ peer: PeerIdentity, latest: Declaration? = nil) throws -> Bool {
    var stated = try HorizonRecord(connection).statements + HorizonNotes(connection).stated
    if let latest { stated.append(latest.identifier) }
    return manifests.all.values.contains { manifest in
      manifest.former[peer] != nil
        && (manifest.horizon?.obeyed.map(stated.contains) ?? false)
    }
  }

  /// Whether what waits for other transactions would be kept out without them, or one of these is kept out.
  ///
  /// - Parameter all: everything that has arrived and is not imported.
  func isFenced(_ waiting: Waiting, among all: [Waiting]) throws -> Bool {
    let last = try HorizonRecord(connection).state.last
    return try ([waiting] + waiting.causes(among: all)).contains {
      try $0.isFenced || isKeptOut($0, by: last)
    }
  }

  /// Whether a transaction does not pass a declaration.
  private func isKeptOut(_ waiting: Waiting, by declaration: Declaration?) throws -> Bool {
    guard let declaration,
      let transaction = try LoggedHeads(self).transaction(waiting.sequence, of: waiting.peer)
    else { return false }
    return !declaration.admits(transaction)
  }
}

extension Waiting {
  var isFenced: Bool {
    if case .fenced = reason { true } else { false }
  }

  /// Whether it waits for other transactions.
  var isGap: Bool {
    if case .transaction = reason { true } else { false }
  }

  /// Returns the waiting transactions for which it waits, directly or not, in this order.
  func causes(among all: [Waiting]) -> [Waiting] {
    var causes: [Waiting] = []
    var last = self
    while case .transaction(let peer, let sequence) = last.reason,
      let next = all.first(where: { $0.peer == peer && $0.sequence <= sequence }),
      next != self, !causes.contains(next)
    {
      causes.append(next)
      last = next
    }
    return causes
  }

  /// Whether its author's knowledge is written above a horizon that is not known here.
  var isAboveHorizon: Bool {
    if case .baseline = reason { true } else { false }
  }
}
