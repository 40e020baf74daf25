import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// The horizon above which a store writes its segments (rule 13 of `docs/space.md`).
///
/// Own transactions need no mark from which the store has obeyed the declaration. Every transaction that it
/// has made and that is not below the horizon knew the horizon: otherwise, the store could not have promised
/// or followed it (rules 6 and 11).
struct OwnHorizon {
  private let declaration: Declaration
  /// The first own transaction that is not below the horizon. A segment begins with it, so that segments do
  /// not mix transactions that knew the horizon with those that did not.
  let first: SequenceNumber
  /// What every transaction above the horizon knows, including the author's own transactions.
  let horizon: Knowledge
  /// The latest time in the horizon.
  private let latestTime: HybridTime

  /// Reads the horizon of the declaration that the store obeys.
  ///
  /// - Returns: `nil` if horizons are off, if the store obeys none, or if it does not know that all members
  ///   can read what is written above it; also while a promise is outstanding: other devices may obey that
  ///   one already, and forget the one before.
  init?(_ connection: Connection, own: PeerIdentity, _ policy: HorizonPolicy) throws {
    // If horizons are off, the bookkeeping is not queried: every peer can read what is written whole.
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

  /// Returns what a segment states about the horizon; `nil` if its transactions cannot be written above it.
  ///
  /// - Parameters:
  ///   - known: what the first transaction knew.
  ///   - records: all records of the segment.
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

  /// Returns the part of the knowledge that is above the horizon.
  func above(_ knowledge: Knowledge, of own: PeerIdentity) -> Knowledge {
    Knowledge(knowledge.exceeding(base(of: own)))
  }

  /// Returns the store's manifest in the form for other devices, with a receipt above the horizon.
  func manifest(_ manifest: PeerManifest) -> PeerManifest { manifest.written(above: declaration) }

  private func base(of own: PeerIdentity) -> Knowledge {
    var base = horizon
    base[own] = .zero
    return base
  }
}
