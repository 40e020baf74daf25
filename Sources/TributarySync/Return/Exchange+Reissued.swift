import TributaryCore
import TributaryHorizon
import TributaryReplay
import TributaryStore

extension Exchange {
  /// Returns what waits without what nobody needs to wait for. What a store has left behind under its former
  /// identity, when it came back, has been issued again. What a retired peer wrote it issues again if it returns.
  ///
  /// Of both, the first transactions may be removed already, while the carrier still brings later ones.
  func withoutReissued(_ waiting: [Waiting]) throws -> [Waiting] {
    guard waiting.contains(where: { $0.isFenced || $0.isGap || $0.isAboveHorizon }) else {
      return waiting
    }
    var left = Set(try FormerIdentities(connection).all().map(\.peer))
    left.formUnion(try Retirements(Settings(connection)).all())
    left.formUnion(manifests.all.values.flatMap(\.former.keys))
    left.formUnion(manifests.all.goneIdentities)
    return try waiting.filter { waiting in
      guard left.contains(waiting.peer) else { return true }
      if waiting.isAboveHorizon { return try !isLeftBehind(waiting.peer) }
      if waiting.isGap, try RetiredLog.hasIssued(waiting, connection) { return false }
      return try !waiting.isFenced && !(waiting.isGap && isFenced(waiting))
    }
  }

  /// Whether the store of an identity that was left obeys a horizon that this store knows. What it had written above
  /// an earlier one that nobody remembers any more was in the horizon, or fenced.
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

  /// Whether what waits for others would be kept out without them.
  func isFenced(_ waiting: Waiting) throws -> Bool {
    guard let last = try HorizonRecord(connection).state.last,
      let transaction = try LoggedHeads(self).transaction(waiting.sequence, of: waiting.peer)
    else { return false }
    return !last.admits(transaction)
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

  /// Whether what its author knew is written above a horizon that is not known here.
  var isAboveHorizon: Bool {
    if case .baseline = reason { true } else { false }
  }
}
