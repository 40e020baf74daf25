import TributaryContainer
import TributaryReplay

/// What one session has found out about files and need not find out again.
struct ExchangeMemory: Sendable {
  let listings: ListingMemory
  let verified = VerifiedSegments()
  let times: SegmentTimes
  let agreement = SegmentAgreement()
  let manifests = ManifestCache()
  /// The peers' manifests with complete receipts, read where these matter.
  let receipts = ManifestCache()
  let tables = KnownPeerTables()
  let baselines: DeclaredBaselines
  let log = WriteAheadLog()
  let horizons = KnownHorizons()
  let notesTurn = NotesTurn()
  let vanishing = Vanishing()

  /// Makes an empty memory.
  ///
  /// - Parameter fewest: the fewest peers whose listings are remembered.
  init(fewest: Int = ListingMemory.fewest) {
    listings = ListingMemory(fewest: fewest)
    times = SegmentTimes(vanishing)
    baselines = DeclaredBaselines(fewest: fewest)
  }
}
