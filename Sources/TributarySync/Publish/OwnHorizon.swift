import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// The horizon above which a store writes its segments (rule 13 of `docs/space.md`).
///
/// No own transaction needs a mark from which on the store has obeyed the declaration: all that it has made and that
/// does not lie beneath the horizon knew the horizon, or it could not have promised or followed it (rules 6 and 11).
struct OwnHorizon {
  private let declaration: Declaration
  /// The first own transaction that does not lie beneath the horizon: a segment begins with it, so that segments
  /// do not mix what knew the horizon with what did not.
  let first: SequenceNumber
  /// What every transaction above it knows, the author's own transactions included.
  let horizon: Knowledge
  /// The latest time in the horizon.
  private let latestTime: HybridTime

  /// Reads the horizon of the declaration that the store obeys.
  ///
  /// - Returns: `nil` if horizons are off, or if it obeys none, or does not know that all members can read what is written above it; also
  ///   while a promise is outstanding: others may obey that already, and forget the one before.
  init?(_ connection: Connection, own: PeerIdentity, _ policy: HorizonPolicy) throws {
    // Without, nothing is asked of the bookkeeping: what is written whole is read by all.
    guard policy.isOn else { return nil }
    guard let readers = try HorizonReaders(connection).declaration else { return nil }
    guard let state = try HorizonRecord.ifReadable(connection)?.state, let obeyed = state.obeyed,
      readers == obeyed.identifier, state.promises.isEmpty
    else {
      return nil
    }
    declaration = obeyed
    first = obeyed.horizon[own].next
    horizon = obeyed.horizon.shared()
    latestTime = obeyed.times.values.max() ?? .zero
  }

  /// Returns what a segment says of the horizon; `nil` if its transactions cannot be written above it.
  ///
  /// - Parameters:
  ///   - known: what the first transaction knew.
  ///   - records: all of the segment.
  func reference(
    _ records: [Outbox.Record], after known: Knowledge, by own: PeerIdentity
  ) -> SegmentHorizon? {
    guard let head = records.first, head.sequence >= first, head.time > latestTime,
      known.isSuperset(of: base(of: own)),
      records.allSatisfy({ $0.basis?.isSuperset(of: horizon) ?? true })
    else { return nil }
    return SegmentHorizon(declaration: declaration.identifier, latestTime: latestTime)
  }

  /// Returns knowledge that shares its entries with the horizon.
  func sharing(_ knowledge: Knowledge, of own: PeerIdentity) -> Knowledge {
    base(of: own).union(knowledge)
  }

  /// Returns what is above the horizon.
  func above(_ knowledge: Knowledge, of own: PeerIdentity) -> Knowledge {
    Knowledge(knowledge.exceeding(base(of: own)))
  }

  /// Returns the store's manifest as others are to read it, with a receipt above the horizon.
  func manifest(_ manifest: PeerManifest) -> PeerManifest { manifest.written(above: declaration) }

  private func base(of own: PeerIdentity) -> Knowledge {
    var base = horizon
    base[own] = .zero
    return base
  }
}
