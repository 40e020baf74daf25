import TributaryContainer
import TributaryCore
import TributaryStore

/// Determines for each peer whether it is counted on, from what the container and the store contain.
struct PeerCensus {
  /// The exchange, with manifests whose receipts are complete.
  let exchange: Exchange

  /// Looks at the container.
  ///
  /// - Parameter isListed: whether the listing of the exchange is current.
  /// - Throws: `ContainerError` if the container cannot be read completely: nothing may be concluded from a
  ///   part.
  init(_ exchange: Exchange, isListed: Bool = false) throws {
    var exchange = exchange
    if !isListed { exchange.listing = try exchange.environment.scan(exchange.directory) }
    if let failure = exchange.listing.peers.lazy.compactMap(\.failure).first {
      throw ContainerError(failure)
    }
    exchange.manifests = ManifestCache().read(
      exchange.listing, in: exchange.directory, exchange.environment, horizons: exchange.horizons)
    if let failure = exchange.manifests.failure { throw failure }
    self.exchange = exchange
  }

  private var own: PeerIdentity { exchange.own }
  private var manifests: [PeerIdentity: PeerManifest] { exchange.manifests.all }
  private var settings: Settings { Settings(exchange.connection) }

  /// Returns all peers: this store first, then the others in order of identity.
  ///
  /// - Parameter findsHolders: whether to find out which peers keep the others from forgetting. All receipts
  ///   are compared for that.
  func standings(findsHolders: Bool = true) throws -> [PeerStanding] {
    let known = Dictionary(
      try KnowledgeTable(exchange.connection).peers().map { ($0.peer, $0) },
      uniquingKeysWith: { $1 })
    let gone = try gone()
    let others = try Set(known.keys).union(present).union(Retirements(settings).all()).subtracting([
      own
    ])
    let days = SynchronisedDays(try settings.text(.days))
    let book = PeerBook(try settings.text(.heard))
    let facts = try facts()
    let silences = Dictionary(
      uniqueKeysWithValues: others.map { ($0, book.silence(of: $0, facts: facts[$0] ?? 0, days)) })
    let leftOut = try leftOut(silences)
    let members = others.subtracting(gone).subtracting(leftOut)
    let holders =
      findsHolders
      ? Horizon(try knowledge(of: members.union([own]), gone)).holders.union(unable(members)) : []
    let names = PeerNames(try settings.text(.peerNames))
    let last = try Outbox(exchange.connection).last()
    var standings = [
      PeerStanding(
        peer: own, name: exchange.identity.peerName, state: gone.contains(own) ? .retired : .active,
        sequence: last?.sequence ?? .zero, time: last?.time ?? .zero,
        acknowledged: last?.sequence ?? .zero, holdsHorizon: holders.contains(own), silentDays: 0)
    ]
    for peer in others.sorted() {
      let silence = silences[peer] ?? 0
      let state: PeerStanding.State =
        gone.contains(peer) || leftOut.contains(peer)
        ? .retired : silence >= PeerStanding.patience ? .silent : .active
      standings.append(
        PeerStanding(
          peer: peer, name: manifests[peer]?.name ?? names[peer] ?? "", state: state,
          sequence: known[peer]?.sequence ?? .zero, time: known[peer]?.time ?? .zero,
          acknowledged: manifests[peer]?.receipt[own] ?? .zero,
          holdsHorizon: holders.contains(peer), silentDays: Int(clamping: silence)))
    }
    return standings
  }

  /// Returns the peers that were silent for so long that the horizon which this store obeys was declared without
  /// them (rule 5 of `docs/space.md`).
  private func leftOut(_ silences: [PeerIdentity: UInt64]) throws -> Set<PeerIdentity> {
    let policy = exchange.environment.horizons
    guard let obeyed = try HorizonRecord.ifReadable(exchange.connection)?.state.obeyed else {
      return []
    }
    return Set(
      silences.filter { peer, silence in
        if obeyed.members.contains(peer) || silence < policy.crowdedPatience { return false }
        // One that has never obeyed anything may be waited for.
        let other = manifests[peer]?.horizon?.obeyed ?? obeyed.identifier
        return silence >= policy.patience || other != obeyed.identifier
      }.keys)
  }

  /// Returns the members whose programs promise nothing. While these are waited for, no peer forgets.
  private func unable(_ members: Set<PeerIdentity>) -> Set<PeerIdentity> {
    guard exchange.environment.horizons.isOn else { return [] }
    return members.filter { manifests[$0]?.promisesNothing ?? false }
  }

  /// The peers that have files here.
  private var present: Set<PeerIdentity> {
    Set(exchange.listing.peers.filter { $0.hasManifest || !$0.segments.isEmpty }.map(\.peer))
  }

  /// Returns how many facts each of the other peers has stated.
  func facts() throws -> [PeerIdentity: UInt64] {
    let imported = try KnowledgeTable(exchange.connection).current()
    var facts: [PeerIdentity: UInt64] = [:]
    for peer in present.union(imported.entries.map(\.peer)) where peer != own {
      facts[peer] =
        manifests[peer]?.factCount(imported: imported[peer]) ?? imported[peer].rawValue
    }
    return facts
  }

  /// Returns the peers that are not counted on: those that a store has retired, and the identities that no
  /// store has now.
  func gone() throws -> Set<PeerIdentity> {
    var gone = manifests.goneIdentities
    gone.formUnion(try Retirements(settings).all())
    gone.formUnion(try Adoptions(settings).all().map(\.peer))
    gone.formUnion(
      try FormerIdentities(exchange.connection).all().filter(\.isLeft).map(\.peer))
    return gone
  }

  /// Returns what each member states that it has. A peer without a readable file states nothing.
  private func knowledge(
    of members: Set<PeerIdentity>, _ gone: Set<PeerIdentity>
  ) throws -> [PeerIdentity: Knowledge] {
    // No device misses what was issued again under another identity.
    var ends: [PeerIdentity: SequenceNumber] = [:]
    for manifest in manifests.values {
      for (peer, former) in manifest.former where former.last < former.reissued {
        ends[peer] = min(ends[peer] ?? .max, former.last)
      }
    }
    ends = ends.filter { gone.contains($0.key) }
    var all: [PeerIdentity: Knowledge] = [:]
    for peer in members {
      var knowledge: Knowledge
      if peer == own {
        knowledge = try KnowledgeTable(exchange.connection).current()
        knowledge[own] = try SegmentTable(exchange.connection).last()
      } else {
        knowledge = manifests[peer]?.receipt ?? Knowledge()
        knowledge[peer] = max(manifests[peer]?.sequence ?? .zero, knowledge[peer])
      }
      for (author, end) in ends where knowledge[author] > end { knowledge[author] = end }
      all[peer] = knowledge
    }
    return all
  }
}

extension [PeerIdentity: PeerManifest] {
  /// The identities that are not counted on: those that a store has retired, those that stores have left, and
  /// those under which a store has issued again what others had written.
  ///
  /// The receipts must be complete.
  var goneIdentities: Set<PeerIdentity> {
    let left = Set(PeerManifest.successors(among: self).keys)
    return values.reduce(into: left) {
      // If an identity was left, its store may since have met the peers that it had retired.
      if !left.contains($1.peer) { $0.formUnion($1.retired) }
      $0.formUnion($1.adopted.keys)
    }
  }
}
